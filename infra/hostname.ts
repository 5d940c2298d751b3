import { getZone } from "@pulumi/cloudflare/getZone.js"
import { WorkersCronTrigger } from "@pulumi/cloudflare/workersCronTrigger.js"
import { WorkersCustomDomain } from "@pulumi/cloudflare/workersCustomDomain.js"
import { WorkersRoute } from "@pulumi/cloudflare/workersRoute.js"
import * as pulumi from "@pulumi/pulumi"

import { messageOf } from "../failure.ts"
import { protection, type Environment } from "./environment/environment.ts"
import { hostPattern, routePatterns } from "./environment/route-patterns.ts"
import { isOnWorkersDev } from "./environment/rules/url.ts"
import { formerlyNamed } from "./names.ts"
import type { Service } from "./service.ts"

type HostnameArgs = {
  environment: Environment
  /** Name of the script, which was the domain's logical name once. */
  name: string
  service: Service
}

/** The service's custom domain, routes and crons. */
export class Hostname extends pulumi.ComponentResource {
  /** Public origin, known once the domain and all routes exist. */
  readonly url: pulumi.Output<string>

  constructor(logicalName: string, args: HostnameArgs, opts?: pulumi.ComponentResourceOptions) {
    super("accounts:infra:Hostname", logicalName, {}, opts)
    const { environment, name, service } = args
    const { accountId, apiOrigin, attach, crons } = environment
    const { hostname: protect } = protection(environment)
    const { hostname } = new URL(apiOrigin)
    const onWorkersDev = isOnWorkersDev(hostname)
    const zoneId = environment.zone ? zoneIdOf(environment) : undefined

    const routesToService: pulumi.Resource[] = []
    if (zoneId && !onWorkersDev && attach === "domain") {
      routesToService.push(
        new WorkersCustomDomain(
          // Another host is another resource, so it is attached before the old one is detached.
          `${logicalName}-${hostname}`,
          { accountId, hostname, service: service.script, zoneId },
          {
            parent: this,
            protect,
            // Otherwise the new resource takes over the domain, and deleting the old one detaches it.
            deleteBeforeReplace: true,
            // Cloudflare renews certificates by itself.
            hideDiffs: ["certId"],
            ...formerlyNamed(name),
          },
        ),
      )
    }
    const ofHost = hostPattern(environment)
    for (const pattern of zoneId ? routePatterns(environment) : []) {
      routesToService.push(
        new WorkersRoute(
          `${logicalName}-${pattern}`,
          { zoneId: zoneId ?? "", pattern, script: service.script },
          {
            parent: this,
            deleteBeforeReplace: true,
            protect: protect && pattern === ofHost,
          },
        ),
      )
    }
    new WorkersCronTrigger(
      logicalName,
      { accountId, scriptName: service.script, schedules: crons.map((cron) => ({ cron })) },
      { parent: this },
    )

    this.url = pulumi
      .all([service.script, ...routesToService.map(({ urn }) => urn)])
      .apply(() => apiOrigin)
    this.registerOutputs({ url: this.url })
  }
}

function zoneIdOf({ zone = "", zoneId, accountId }: Environment): pulumi.Output<string> {
  if (zoneId) return pulumi.output(zoneId)
  const found = getZone({ filter: { name: zone, account: { id: accountId } } })
  // Otherwise the first call to Cloudflare fails with a stack trace, whatever is wrong.
  const told = found.catch((error: unknown) => {
    const [reason = ""] = messageOf(error)
      .replace(/^.*?invoke failed: /i, "")
      .split("\n")
    throw new pulumi.RunError(
      `The zone ${zone} of the account ${accountId} cannot be looked up: ${reason}\n` +
        "Check CLOUDFLARE_API_TOKEN, accounts:accountId and accounts:zone. " +
        "For a token that may not look up zones, set accounts:zoneId.",
      { cause: error },
    )
  })
  return pulumi.output(told).zoneId
}

import { WorkersCustomDomain } from "@pulumi/cloudflare/workersCustomDomain.js"
import { WorkersRoute } from "@pulumi/cloudflare/workersRoute.js"
import * as pulumi from "@pulumi/pulumi"

import { protection, type Environment } from "../../environment/environment.ts"
import { hostPattern, routePatterns } from "../../environment/route-patterns.ts"
import { CronTriggers } from "./accounts-provider.ts"
import type { Service } from "./service.ts"

type HostnameArgs = {
  environment: Environment
  /** The host's zone; undefined for a host of workers.dev. */
  zoneId: pulumi.Output<string> | undefined
  service: Service
}

/** The service's custom domain, routes and crons. */
export class Hostname extends pulumi.ComponentResource {
  /** Public origin, known once the domain and all routes exist. */
  readonly url: pulumi.Output<string>

  constructor(logicalName: string, args: HostnameArgs, opts?: pulumi.ComponentResourceOptions) {
    super("accounts:infra:Hostname", logicalName, {}, opts)
    const { environment, zoneId, service } = args
    const { accountId, apiOrigin, crons } = environment
    const routesToService = zoneId ? this.#attach(logicalName, { ...args, zoneId }) : []
    new CronTriggers(
      logicalName,
      { accountId, scriptName: service.script, crons },
      { parent: this },
    )

    this.url = pulumi
      .all([service.script, ...routesToService.map(({ urn }) => urn)])
      .apply(() => apiOrigin)
    this.registerOutputs({ url: this.url })
  }

  #attach(
    logicalName: string,
    { environment, zoneId, service }: HostnameArgs & { zoneId: pulumi.Output<string> },
  ): pulumi.Resource[] {
    const { accountId, apiOrigin, attach } = environment
    const { hostname: protect } = protection(environment)
    const { hostname } = new URL(apiOrigin)
    const ofHost = hostPattern(environment)
    const routes = routePatterns(environment).map(
      (pattern) =>
        new WorkersRoute(
          `${logicalName}-${pattern}`,
          { zoneId, pattern, script: service.script },
          { parent: this, deleteBeforeReplace: true, protect: protect && pattern === ofHost },
        ),
    )
    if (attach !== "domain") return routes
    const domain = new WorkersCustomDomain(
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
      },
    )
    return [domain, ...routes]
  }
}

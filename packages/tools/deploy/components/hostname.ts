import { WorkersCustomDomain } from "@pulumi/cloudflare/workersCustomDomain.js"
import { WorkersRoute } from "@pulumi/cloudflare/workersRoute.js"
import * as pulumi from "@pulumi/pulumi"

import { type Environment, protection } from "../../environment/environment.ts"
import { hostPatterns, routePatterns, isOnWorkersDev } from "../../environment/rules/url.ts"
import {
  type AccountsProvider,
  CronTriggers,
  HostCheck,
  Verification as Resource,
  soleName,
} from "./accounts-provider.ts"
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
    const ofHost = hostPatterns(environment)
    const routes = routePatterns(environment).map(
      (pattern) =>
        new WorkersRoute(
          `${logicalName}-${pattern}`,
          { zoneId, pattern, script: service.script },
          { parent: this, deleteBeforeReplace: true, protect: protect && ofHost.includes(pattern) },
        ),
    )
    if (attach !== "domain") return routes
    const domain = new WorkersCustomDomain(
      // A new host is a new resource, so it is attached before the old host is detached.
      `${logicalName}-${hostname}`,
      { accountId, hostname, service: service.script, zoneId },
      {
        parent: this,
        protect,
        // Otherwise the new resource takes over the domain, and deleting the old resource detaches it.
        deleteBeforeReplace: true,
        // Cloudflare renews certificates by itself.
        hideDiffs: ["certId"],
      },
    )
    return [domain, ...routes]
  }
}

type CheckedHost = {
  /** Name of the script, known once the environment's host may be attached to it. */
  scriptName: pulumi.Input<string>
  /** The zone to which the host belongs; undefined for a host of workers.dev. */
  zoneId: pulumi.Output<string> | undefined
}

/** Checks whether the host may be attached, by its zone or the account's subdomain of workers.dev. */
export function checkHost(
  environment: Environment,
  { name, provider }: { name: string; provider: AccountsProvider },
): CheckedHost {
  const { accountId, apiOrigin, attach, zone, zoneId } = environment
  const { hostname } = new URL(apiOrigin)
  const ofZone = zone !== undefined && !isOnWorkersDev(hostname)
  const check = new HostCheck(
    soleName,
    {
      accountId,
      scriptName: name,
      hostname,
      attach,
      ...(ofZone && { zone }),
      ...(zoneId ? { zoneId } : {}),
      routes: routePatterns(environment),
    },
    { provider },
  )
  return { scriptName: check.scriptName, zoneId: ofZone ? check.zoneId : undefined }
}

type VerificationArgs = {
  environment: Environment
  service: Service
  hostname: Hostname
  /** The facts of the environment that reviewers have seen. */
  facts: ConstructorParameters<typeof Resource>[1]["facts"]
}

/** Waits until the service is healthy and a smoke-test account can sign in, for each new host and Worker. */
export class Verification extends Resource {
  constructor(
    logicalName: string,
    { environment, service, hostname, facts }: VerificationArgs,
    options: pulumi.CustomResourceOptions,
  ) {
    const { accountId, zone, hostPatience } = environment
    const patience = `${hostPatience}s`
    super(
      logicalName,
      {
        ...service.trial,
        accountId,
        scriptName: service.script,
        worker: service.workerId,
        url: hostname.url,
        ...(zone === undefined ? {} : { zone }),
        facts,
      },
      { customTimeouts: { create: patience, update: patience }, ...options },
    )
  }
}

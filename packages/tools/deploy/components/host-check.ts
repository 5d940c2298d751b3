import type * as pulumi from "@pulumi/pulumi"

import type { Environment } from "../../environment/environment.ts"
import { routePatterns } from "../../environment/route-patterns.ts"
import { isOnWorkersDev } from "../../environment/rules/url.ts"
import { type AccountsProvider, HostCheck } from "./accounts-provider.ts"
import { logicalName } from "./names.ts"

type CheckedHost = {
  /** Name of the script, known once the environment's host may be attached to it. */
  scriptName: pulumi.Input<string>
  /** The zone that the host is attached in; undefined for a host of workers.dev. */
  zoneId: pulumi.Output<string> | undefined
}

/** Looks up whether the host may be attached: its zone, or the account's subdomain of workers.dev. */
export function checkHost(
  environment: Environment,
  { name, provider }: { name: string; provider: AccountsProvider },
): CheckedHost {
  const { accountId, apiOrigin, attach, zone, zoneId } = environment
  const { hostname } = new URL(apiOrigin)
  const ofZone = zone !== undefined && !isOnWorkersDev(hostname)
  const check = new HostCheck(
    logicalName,
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

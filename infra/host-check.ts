import type * as pulumi from "@pulumi/pulumi"

import { type AccountsProvider, HostCheck } from "./accounts-provider.ts"
import type { Environment } from "./environment/environment.ts"
import { routePatterns } from "./environment/route-patterns.ts"
import { isOnWorkersDev } from "./environment/rules/url.ts"
import { logicalName } from "./names.ts"

/**
 * The name of the script, known once the environment's host may be attached to it. A host of workers.dev
 * needs no leave.
 */
export function nameWithHost(
  environment: Environment,
  { name, provider }: { name: string; provider: AccountsProvider },
): pulumi.Input<string> {
  const { accountId, apiOrigin, attach, zone, zoneId } = environment
  const { hostname } = new URL(apiOrigin)
  if (!zone || isOnWorkersDev(hostname)) return name
  const check = new HostCheck(
    logicalName,
    {
      accountId,
      scriptName: name,
      hostname,
      attach,
      zone,
      ...(zoneId ? { zoneId } : {}),
      routes: routePatterns(environment),
    },
    { provider },
  )
  return check.scriptName
}

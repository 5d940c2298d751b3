import type * as pulumi from "@pulumi/pulumi"

import { type AccountsProvider, HostCheck } from "./accounts-provider.ts"
import type { Environment } from "./environment/environment.ts"
import { routePatterns } from "./environment/route-patterns.ts"
import { isOnWorkersDev } from "./environment/rules/url.ts"
import { logicalName } from "./names.ts"

type CheckedHost = {
  /** Name of the script, known once the environment's host may be attached to it. */
  scriptName: pulumi.Input<string>
  /** Of the zone that the host is attached in; undefined for a host of workers.dev. */
  zoneId: pulumi.Output<string> | undefined
}

/** Looks up the zone and whether the host may be attached. A host of workers.dev needs no leave. */
export function checkHost(
  environment: Environment,
  { name, provider }: { name: string; provider: AccountsProvider },
): CheckedHost {
  const { accountId, apiOrigin, attach, zone, zoneId } = environment
  const { hostname } = new URL(apiOrigin)
  if (!zone || isOnWorkersDev(hostname)) return { scriptName: name, zoneId: undefined }
  return new HostCheck(
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
}

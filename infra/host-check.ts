import { getZone } from "@pulumi/cloudflare/getZone.js"
import * as pulumi from "@pulumi/pulumi"

import { messageOf } from "../failure.ts"
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
  // Not an output of the check: state from before it had one would need an update to get it.
  const known = check.zone.apply(async (one) => zoneId ?? (await findZone(one, accountId)))
  return { scriptName: check.scriptName, zoneId: known }
}

/** Only once the host was checked, which explains a zone that cannot be looked up with all else that is wrong. */
async function findZone(name: string, accountId: string): Promise<string> {
  try {
    const { zoneId } = await getZone({ filter: { name, account: { id: accountId } } })
    return zoneId
  } catch (error) {
    // Otherwise a call that fails is shown with a stack trace.
    const [reason = ""] = messageOf(error)
      .replace(/^.*?invoke failed: /i, "")
      .split("\n")
    throw new pulumi.RunError(
      `The zone ${name} of the account ${accountId} cannot be looked up: ${reason}\n` +
        "Check CLOUDFLARE_API_TOKEN, accounts:accountId and accounts:zone. " +
        "For a token that may not look up zones, set accounts:zoneId.",
      { cause: error },
    )
  }
}

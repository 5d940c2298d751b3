import { getZone } from "@pulumi/cloudflare/getZone.js"
import * as pulumi from "@pulumi/pulumi"

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
  const { scriptName } = check
  if (!ofZone) return { scriptName, zoneId: undefined }
  return { scriptName, zoneId: pulumi.output(zoneOf(check, { zone, accountId })) }
}

type Zone = { zone: string; accountId: string }

/**
 * State of a release in which the check did not keep the zone's id has none, and needs no update for
 * it: a preview would not know the id, and plan to replace the domain. Only then is it looked up here.
 */
async function zoneOf(check: HostCheck, zone: Zone): Promise<pulumi.Output<string>> {
  // No part of the SDK's types; where it is missing, an unknown id stays unknown.
  const known: unknown = await Reflect.get(check.zoneId, "isKnown")
  if (known === false) return pulumi.output(findZone(zone))
  return check.zoneId.apply(async (id: string | undefined) => id ?? (await findZone(zone)))
}

async function findZone({ zone, accountId }: Zone): Promise<string> {
  const { zoneId } = await getZone({ filter: { name: zone, account: { id: accountId } } })
  return zoneId
}

import * as z from "zod"

import { counted } from "../base/counted.ts"
import { Failure, isFailure } from "../base/failure.ts"
import type { Account } from "../deploy/api.ts"
import { type DeployedZone, listRoutes, lookUpZone } from "../deploy/release/routes.ts"
import { say } from "./output.ts"
import type { Found } from "./status/plan-findings.ts"

/** Response of both routes, as Cloudflare's SDK types it. */
const Verified = z.object({ expires_on: z.coerce.date().nullish() })

/** Reads when the token expires; undefined if it does not. @throws if Cloudflare cannot verify the token */
export async function tokenExpiry({ api, accountId }: Account): Promise<Date | undefined> {
  // A token belongs to a user or to an account, and each route verifies only its own kind.
  const ask = (owner: string) => api.get(`${owner}/tokens/verify`, Verified)
  const account = `/accounts/${encodeURIComponent(accountId)}`
  return (await ask("/user").catch(() => ask(account))).expires_on ?? undefined
}

/**
 * Checks the read permissions of a deployment before its first change: Cloudflare would refuse a request only
 * after others have made changes. Write permissions cannot be checked without a change.
 * @throws Failure that names each permission that the token lacks
 */
export async function expectPermissions(
  { api, accountId }: Account,
  zone?: DeployedZone,
): Promise<void> {
  const account = `/accounts/${encodeURIComponent(accountId)}`
  const paths = [`${account}/workers/subdomain`, `${account}/d1/database?per_page=10`]
  const answers = await Promise.allSettled([
    ...paths.map((path) => api.get(path, z.unknown())),
    ...(zone === undefined ? [] : [tryZone({ api, accountId }, zone)]),
  ])
  const refusals = answers.flatMap((answer) => {
    const reason: unknown = answer.status === "rejected" ? answer.reason : undefined
    return isFailure(reason, "API_FAILED") && reason.facts.code === 10_000 ? [reason.message] : []
  })
  if (refusals.length > 0) throw new Failure("COMMAND_FAILED", refusals.join("\n"))
}

/** Looks up the zone's id unless the stack file has it, and lists its routes if the stack creates any. */
async function tryZone({ api, accountId }: Account, { name, id, hasRoutes }: DeployedZone) {
  const zoneId = id ?? (await lookUpZone(api, { accountId, zone: name }))
  if (hasRoutes && zoneId !== undefined) await listRoutes(api, zoneId)
}

const day = 86_400_000

/** Days before the expiry of a token or a certificate from which it is reported. */
const notice = 14

/** Whole days until then; negative afterwards. */
function daysUntil(end: Date, now: Date): number {
  return Math.floor((end.getTime() - now.getTime()) / day)
}

/** @param until undefined for no expiry */
export function lastsUntil(until: Date | undefined, now = new Date()): Found {
  if (until === undefined) return { state: "ok", found: "without an end" }
  const days = daysUntil(until, now)
  const text = `until ${until.toISOString()}, ${counted(days, "day")}`
  return { state: days < notice ? "wrong" : "ok", found: text }
}

export async function printTokenExpiry(place: Account, now = new Date()): Promise<void> {
  const expiry = await tokenExpiry(place).catch(() => undefined)
  if (expiry === undefined) return
  const days = daysUntil(expiry, now)
  if (days >= notice) return
  const when = days < 1 ? "in less than a day" : `in ${counted(days, "day")}`
  say(
    `The token of Cloudflare ends ${when}, at ${expiry.toISOString()}: make another, and put it where this one is kept.`,
  )
}

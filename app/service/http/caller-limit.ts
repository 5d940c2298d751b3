import { createHash } from "node:crypto"

import { getIp } from "better-auth/api"
import type { Context, Next } from "hono"

import { fail } from "./failure.ts"
import type { HonoEnv } from "./hono-env.ts"
import { isWithinLimit, retryAfter } from "./rate-limit.ts"

/** What a front end asks on every page, from an office that has one address: each session by itself. */
const ofSession = new Set([
  "/api/auth/get-session",
  "/api/auth/list-sessions",
  "/api/auth/list-accounts",
])

/**
 * Rate-limits requests per client network and declared path, since each costs a password hash, an e-mail,
 * a call of a provider or a question to the database; and what reads a session, per session.
 */
export async function limitCaller(context: Context<HonoEnv>, next: Next) {
  const route = context.get("route") ?? ""
  const isWithin = await (ofSession.has(route) ? admitsSession(context) : admitsNetwork(context))
  return isWithin ? next() : refuseForNow(context)
}

export function refuseForNow(context: Context<HonoEnv>) {
  context.header("retry-after", String(retryAfter))
  return fail(context, "TOO_MANY_REQUESTS")
}

const addresses = { advanced: { ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] } } }

/** Counts for the client's network and the declared path. For IPv6 the /64 counts: a household or server owns it. */
export async function admitsNetwork({ req, env, get }: Context<HonoEnv>) {
  const address = req.header("cf-connecting-ip")
  if (address === undefined) return true
  const network = getIp(req.raw, addresses) ?? address
  return isWithinLimit(env.LIMIT_ADDRESS, `${network} ${get("route") ?? req.path}`)
}

/** Without a valid signature the database is not asked. */
async function admitsSession(context: Context<HonoEnv>) {
  const { sessions, memberLimit } = context.get("services")
  const token = await sessions.tokenOf(context.req.raw.headers)
  if (token === undefined) return true
  return isWithinLimit(memberLimit, createHash("sha256").update(token).digest("hex"))
}

import { createHash } from "node:crypto"

import type { Context } from "hono"

import type { Services } from "../../services.ts"
import { fail } from "../platform/http/failure.ts"
import type { HonoEnv } from "../platform/http/routing.ts"
import { isWithinLimit, networksOf, retryAfter } from "./rate-limit.ts"

export function refuseForNow(context: Context<HonoEnv>) {
  context.header("retry-after", String(retryAfter))
  return fail(context, "TOO_MANY_REQUESTS")
}

/**
 * Counts a request for the client's network and the declared path. The households of an IPv6 /48 share two counts, so
 * that one household cannot use up both.
 */
export async function admitsNetwork({ req, env, get }: Context<HonoEnv>) {
  const { site, household } = networksOf(req.raw.headers) ?? {}
  if (site === undefined) return true
  const half = Number.parseInt(household?.slice(-1) ?? "0", 16) % 2
  const networks = household === undefined ? [site] : [household, `${site} ${half}`]
  const admitted = await Promise.all(
    networks.map((network) =>
      isWithinLimit(env.LIMIT_ADDRESS, `${network} ${get("route") ?? req.path}`),
    ),
  )
  return admitted.every(Boolean)
}

/** Counts a call for its session. Calls without a valid session cookie are not counted. */
export async function admitsSession({ sessions, memberLimit }: Services, headers: Headers) {
  const token = sessions.tokenOf(headers)
  if (token === undefined) return true
  return isWithinLimit(memberLimit, createHash("sha256").update(token).digest("hex"))
}

import { os } from "@orpc/server"
import * as z from "zod"

import { failures } from "../http/failure.ts"
import { isWithinLimit } from "../rate-limit.ts"
import type { Services } from "../services.ts"
import { memberOf } from "../user/member.ts"

export type RpcContext = { services: Services; headers: Headers }

const Issue = z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })

export const open = os.$context<RpcContext>().errors({
  BAD_REQUEST: {
    ...failures.BAD_REQUEST,
    data: z.object({ issues: z.array(Issue) }).optional(),
  },
})

/** Reads the caller from the database, so that a revoked session or role ends at once. */
export async function readCaller({ services, headers }: RpcContext) {
  const known = await services.sessions.read(headers)
  if (known !== undefined) return known && memberOf(known)
  const session = await services.auth.api.getSession({
    headers,
    // A refresh here would renew the row but not the cookie: only get-session renews both.
    query: { disableRefresh: true },
  })
  return session && memberOf(session)
}

/** Requires a session, and counts the calls of its user. */
export const member = open
  .errors({
    UNAUTHORIZED: { status: 401, message: "Sign in first" },
    TOO_MANY_REQUESTS: failures.TOO_MANY_REQUESTS,
  })
  .use(async ({ context, next, errors }) => {
    const caller = await readCaller(context)
    if (caller === null) throw errors.UNAUTHORIZED()
    const isWithin = await isWithinLimit(context.services.memberLimit, caller.id)
    if (!isWithin) throw errors.TOO_MANY_REQUESTS()
    return next({ context: { member: caller } })
  })

/**
 * A link or an image on any page makes a browser send a GET with its cookies, but without an origin:
 * it must not write audit entries in an admin's name.
 */
function isCalledByPage(headers: Headers) {
  return headers.has("origin") || headers.get("sec-fetch-mode") === "cors"
}

/** Requires the role admin or owner. Each procedure audits what it does to other users. */
export const admin = member
  .errors({
    FORBIDDEN: { status: 403, message: "Requires the role admin or owner" },
    MISSING_OR_NULL_ORIGIN: failures.MISSING_OR_NULL_ORIGIN,
  })
  .use(({ context, next, errors }) => {
    if (context.member.role === "member") throw errors.FORBIDDEN()
    if (!isCalledByPage(context.headers)) throw errors.MISSING_OR_NULL_ORIGIN()
    return next()
  })

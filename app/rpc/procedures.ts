import { os } from "@orpc/server"
import * as z from "zod"

import type { Isolate } from "../services.ts"
import { memberOf } from "../user/member.ts"

export type RpcContext = { isolate: Isolate; headers: Headers }

const Issue = z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })

/** Anyone may call. */
export const open = os.$context<RpcContext>().errors({
  BAD_REQUEST: {
    status: 400,
    message: "The input is not what this operation takes",
    data: z.object({ issues: z.array(Issue) }).optional(),
  },
})

/** Who calls, as the database has it now: a revoked session or role ends at once. */
export async function readMember({ isolate, headers }: RpcContext) {
  const known = await isolate.sessions.read(headers)
  if (known !== undefined) return known && memberOf(known)
  const session = await isolate.auth.api.getSession({
    headers,
    // A refresh here would move the row and lose its cookie: only get-session moves both.
    query: { disableRefresh: true },
  })
  return session && memberOf(session)
}

/** Only who is signed in. */
export const member = open
  .errors({ UNAUTHORIZED: { status: 401, message: "Sign in first" } })
  .use(async ({ context, next, errors }) => {
    const caller = await readMember(context)
    if (caller === null) throw errors.UNAUTHORIZED()
    return next({ context: { member: caller } })
  })

/** Only admins and owners; what they do to others is audited by each procedure. */
export const admin = member
  .errors({ FORBIDDEN: { status: 403, message: "This takes the role admin or owner" } })
  .use(({ context, next, errors }) => {
    if (context.member.role === "member") throw errors.FORBIDDEN()
    return next()
  })

import type { Context, Next } from "hono"

import { failsDuring } from "../database/bounded-database.ts"
import { fail } from "./failure.ts"
import type { HonoEnv } from "./hono-env.ts"

/**
 * Answers 503, and changes no cookie, when the database has failed during the request, whatever became
 * of the failure: the authentication library takes it for a session that has ended, or for success.
 */
export async function answerOutage(context: Context<HonoEnv>, next: Next) {
  if (!(await failsDuring(next))) return
  const { res } = context
  // A browser on its way is told by the front end's page, whatever the failure was taken for.
  const location = res.headers.get("location") ?? ""
  const told = location.replace(/([?&]error=)\w+/, "$1unavailable")
  const answer = told === location ? fail(context, "UNAVAILABLE") : context.redirect(told)
  const kept = [...res.headers].filter(([name]) => !ofBody.has(name))
  for (const [name, value] of kept) answer.headers.set(name, value)
  answer.headers.delete("set-cookie")
  // Setting one answer upon another would keep the cookies of both.
  context.res = undefined
  context.res = answer
}

const ofBody = new Set(["set-cookie", "content-type", "content-length", "location"])

import type { Context, Next } from "hono"

import { fail } from "./failure.ts"
import type { Http } from "./hono-env.ts"

/** Tells a path that answers other methods from one that is not there. */
export function only(...methods: string[]) {
  return async (context: Context<Http>, next: Next) => {
    if (methods.includes(context.req.method)) return next()
    context.set("route", context.req.path)
    context.header("allow", methods.join(", "))
    return fail(context, "METHOD_NOT_ALLOWED")
  }
}

import type { Context, Next } from "hono"

import { fail } from "./failure.ts"
import type { HonoEnv } from "./hono-env.ts"

/** Answers 405 to other methods, where Hono's routing alone would answer 404. */
export function allowMethods(...methods: string[]) {
  return async (context: Context<HonoEnv>, next: Next) => {
    if (methods.includes(context.req.method)) return next()
    context.set("route", context.req.path)
    return refuseMethod(context, methods)
  }
}

/** Names the methods that the path has. */
export function refuseMethod(context: Context<HonoEnv>, methods: string[]) {
  context.header("allow", methods.join(", "))
  return fail(context, "METHOD_NOT_ALLOWED")
}

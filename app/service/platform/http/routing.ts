import type { Context, Next } from "hono"
import { HonoBase } from "hono/hono-base"
import { TrieRouter } from "hono/router/trie-router"

import type { Services } from "../../../services.ts"
import type { Env } from "../configuration/env.ts"
import { fail } from "./failure.ts"

export type HonoEnv = {
  Bindings: Env
  Variables: {
    services: Services
    /** The declared path, such as `/api/auth/reset-password/:token`: safe to log. */
    route: string | undefined
    /** The request's origin if it is untrusted. It is logged, because browsers show the page no reason. */
    refusedOrigin: string | undefined
  }
}

/** Creates a Hono app with one router. The default includes four, and compiles them for the first request. */
export function createRouter() {
  return new HonoBase<HonoEnv>({ router: new TrieRouter() })
}

/** Returns a middleware that answers 405 to other methods; Hono's routing would answer 404. */
export function allowMethods(...methods: string[]) {
  return async (context: Context<HonoEnv>, next: Next) => {
    if (methods.includes(context.req.method)) return next()
    context.set("route", context.req.path)
    return refuseMethod(context, methods)
  }
}

/** Answers 405 with the methods that the path supports. */
export function refuseMethod(context: Context<HonoEnv>, methods: string[]) {
  context.header("allow", methods.join(", "))
  return fail(context, "METHOD_NOT_ALLOWED")
}

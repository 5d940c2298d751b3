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
    /** An origin that is not trusted: a browser shows its page no reason, so the log does. */
    refusedOrigin: string | undefined
  }
}

/** Hono with one router: its default brings four, and compiles them for the first request. */
export function createRouter() {
  return new HonoBase<HonoEnv>({ router: new TrieRouter() })
}

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

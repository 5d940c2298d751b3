import type { Context, Next } from "hono"

import { cookieName } from "../auth/cookie/browser-cookies.ts"
import { readCookie, setHostCookie } from "./cookie.ts"
import type { HonoEnv } from "./routing.ts"

/** Seconds: copies of the database lag by less than a second, and catch up on a day's worth in time. */
const maxAge = 24 * 60 * 60

/** With read replication, lets the browser's next requests see at least what this one has seen. */
export async function keepBookmark(context: Context<HonoEnv>, next: Next) {
  const { replicas, configuration } = context.get("services")
  if (replicas === undefined) return next()
  const name = cookieName(configuration, "bookmark")
  const bookmark = await replicas.during(next)
  if (bookmark === undefined || bookmark <= (readCookie(context.req.raw.headers, name) ?? "")) {
    return undefined
  }
  setHostCookie(context, { name, value: bookmark, maxAge })
  return undefined
}

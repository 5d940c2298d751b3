import type { Context, MiddlewareHandler, Next } from "hono"

import type { Keys } from "../configuration/keys.ts"
import type { HonoEnv } from "../http/routing.ts"
import { cookieName, type ownCookies } from "./browser-cookies.ts"
import { decodeCookie, readCookie, readSigned, setHostCookie, sign } from "./cookie.ts"

/** Of RFC 6265, section 4.2: space and tab alone are around a pair, whose value is of `cookie-octet`; none is quoted here. */
const form = /^[ \t]*([!-<>-~]*)=([\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*)[ \t]*$/

/**
 * Filters the cookies of the request once for all handlers, including the library, because each parses names
 * differently: they see only the cookies of this service.
 */
export const readCookies: MiddlewareHandler<HonoEnv> = async (context, next) => {
  const { raw } = context.req
  const header = raw.headers.get("cookie")
  if (header === null) return next()
  const { configuration, cookies } = context.get("services")
  const cookie = onlyOwn(header, { cookies, keys: configuration.keys })
  if (cookie !== header) {
    const headers = new Headers(raw.headers)
    // Set even if none is left: the origin check asks whether the browser sent any.
    headers.set("cookie", cookie)
    context.req.raw = new Request(raw, { headers })
  }
  return next()
}

/**
 * Returns the cookies of a header that this service may have set. Of two with the same name, the first with a
 * valid form stays. The library knows one key, so values signed with an older key are signed again here.
 */
export function onlyOwn(header: string, { cookies, keys }: Known) {
  const firstOf = new Map<string, string>()
  for (const pair of header.split(";")) {
    const [, name = "", value = ""] = form.exec(pair) ?? []
    const cookie = cookies.get(name.replace(/\.[\w-]+(?=\.oauth_state$)/, ".*"))
    if (cookie === undefined || firstOf.has(name)) continue
    const { signed } = cookie
    const accepted = signed === undefined ? value : signedAnew(value, signed, keys.of("session"))
    if (accepted !== undefined) firstOf.set(name, accepted)
  }
  return [...firstOf].map(([name, value]) => `${name}=${value}`).join("; ")
}

type Known = { cookies: ReturnType<typeof ownCookies>; keys: Keys }

/** The value with a signature of the first key; undefined for what none of them signed. */
function signedAnew(text: string, kind: RegExp, [first = "", ...rest]: string[]) {
  const { value, isBy } = readSigned(decodeCookie(text) ?? "")
  if (!kind.test(value)) return undefined
  if (isBy(first)) return text
  return rest.some(isBy) ? encodeURIComponent(sign(value, first)) : undefined
}

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

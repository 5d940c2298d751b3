import type { Context, MiddlewareHandler, Next } from "hono"

import type { Keys } from "../configuration/keys.ts"
import type { HonoEnv } from "../http/routing.ts"
import { cookieName, type ownCookies } from "./browser-cookies.ts"
import { decodeCookie, readCookie, readSigned, setHostCookie, sign } from "./cookie.ts"

/** Pair of RFC 6265, section 4.2, surrounded only by spaces and tabs. Values are unquoted `cookie-octet`s. */
const form = /^[ \t]*([!-<>-~]*)=([\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*)[ \t]*$/

/**
 * Filters the request's cookies once for all handlers, so that they see only cookies of this service. Each handler,
 * including the library, parses names differently.
 */
export const readCookies: MiddlewareHandler<HonoEnv> = async (context, next) => {
  const { raw } = context.req
  const header = raw.headers.get("cookie")
  if (header === null) return next()
  const { configuration, cookies } = context.get("services")
  const cookie = onlyOwn(header, { cookies, keys: configuration.keys })
  if (cookie !== header) {
    const headers = new Headers(raw.headers)
    // Set even if no cookie is left, because the origin check asks whether the browser sent any.
    headers.set("cookie", cookie)
    context.req.raw = new Request(raw, { headers })
  }
  return next()
}

/**
 * Returns the cookies of a header that this service may have set. The first of two with the same name and a valid form
 * stays. Values signed with an older key are signed again, because the library knows only one key.
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

/** Returns the value, signed with the first key; undefined if no key signed it. */
function signedAnew(text: string, kind: RegExp, [first = "", ...rest]: string[]) {
  const { value, isBy } = readSigned(decodeCookie(text) ?? "")
  if (!kind.test(value)) return undefined
  if (isBy(first)) return text
  return rest.some(isBy) ? encodeURIComponent(sign(value, first)) : undefined
}

/** Seconds. Replicas lag by less than a second, so older bookmarks are not needed. */
const maxAge = 24 * 60 * 60

/** With read replication, ensures that the browser's next requests see at least this request's state. */
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

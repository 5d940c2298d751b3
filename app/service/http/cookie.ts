import type { Context } from "hono"
import { setCookie } from "hono/cookie"
import { parse } from "hono/utils/cookie"

/** Of the header that `readCookies` has left, which has each name once. */
export function readCookie(headers: Headers, name: string) {
  return parse(headers.get("cookie") ?? "", name)[name]
}

type HostCookie = { name: string; value: string; maxAge: number }

/** For this host alone, so that no sibling gets or plants it. */
export function setHostCookie(context: Context, { name, value, maxAge }: HostCookie) {
  const secure = name.startsWith("__Host-")
  setCookie(context, name, value, { maxAge, path: "/", httpOnly: true, secure, sameSite: "Lax" })
}

/** Another site's cookie may hold anything. */
export function decodeCookie(text: string) {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

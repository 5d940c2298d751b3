import { createHmac, timingSafeEqual } from "node:crypto"

import type { Context } from "hono"
import { setCookie } from "hono/cookie"
import { parse } from "hono/utils/cookie"

/** Reads a cookie from the header that `readCookies` has filtered. It contains each name once. */
export function readCookie(headers: Headers, name: string) {
  return parse(headers.get("cookie") ?? "", name)[name]
}

type HostCookie = { name: string; value: string; maxAge: number }

/** Sets a host-only cookie, so that no sibling domain receives or plants it. */
export function setHostCookie(context: Context, { name, value, maxAge }: HostCookie) {
  const secure = name.startsWith("__Host-")
  setCookie(context, name, value, { maxAge, path: "/", httpOnly: true, secure, sameSite: "Lax" })
}

/** Returns the text itself if it is malformed, because other sites' cookies may contain anything. */
export function decodeCookie(text: string) {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** `<value>.<base64 HMAC-SHA256 of the value>`, as the library signs cookies. */
const signed = /^(.+)\.([A-Za-z0-9+/]{43}=)$/s

export function hmacOf(value: string, key: string) {
  return createHmac("sha256", key).update(value).digest()
}

export function sign(value: string, key: string) {
  return `${value}.${hmacOf(value, key).toString("base64")}`
}

/** Returns the value, which is empty without a signature, and a function that checks a key's signature. */
export function readSigned(text: string) {
  const [, value = "", signature = ""] = signed.exec(text) ?? []
  const expected = Buffer.from(signature, "base64")
  return {
    value,
    isBy: (key: string) => value !== "" && timingSafeEqual(expected, hmacOf(value, key)),
  }
}

import { parse } from "hono/utils/cookie"

/** The first cookie of the name wins. */
export function readCookie(headers: Headers, name: string) {
  return parse(headers.get("cookie") ?? "", name)[name]
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

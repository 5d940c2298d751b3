import type { MiddlewareHandler } from "hono"

import { decodeCookie } from "../../http/cookie.ts"
import type { HonoEnv } from "../../http/hono-env.ts"
import type { Keys } from "../keys.ts"
import { readSigned, sign } from "./signed-value.ts"

/** Cookies of the library, and what each of them holds: they have one key, so no value is of two kinds. */
const library = [
  { name: /\.session_token$/, value: /^\w{32}$/ },
  { name: /\.dont_remember$/, value: /^true$/ },
]

/** The last header that needed no change: a page sends the same one with each of its requests. */
let latest: { cookie: string; keys: Keys } | undefined

/**
 * Drops a cookie with another one's value, and signs those of an older key anew, before anybody reads
 * them: the library knows one key for cookies, so this is the one place where more are accepted.
 */
export const acceptOtherKeys: MiddlewareHandler<HonoEnv> = async (context, next) => {
  const { raw } = context.req
  const cookie = raw.headers.get("cookie") ?? ""
  const { keys } = context.get("services").configuration
  if (latest?.cookie === cookie && latest.keys === keys) return next()
  const accepted = await accept(cookie, keys.of("session"))
  if (accepted === cookie) {
    latest = { cookie, keys }
  } else {
    const headers = new Headers(raw.headers)
    headers.set("cookie", accepted)
    context.req.raw = new Request(raw, { headers })
  }
  return next()
}

async function accept(header: string, [first = "", ...others]: string[]) {
  const acceptPair = async (pair: string) => {
    const start = pair.indexOf("=") + 1
    const kind = library.find(({ name }) => name.test(pair.slice(0, Math.max(0, start - 1)).trim()))
    if (kind === undefined) return pair
    const { value, isBy } = readSigned(decodeCookie(pair.slice(start).trim()) ?? "")
    if (!kind.value.test(value)) return []
    if (await isBy(first)) return pair
    if (!(await Promise.all(others.map(isBy))).includes(true)) return pair
    return `${pair.slice(0, start)}${encodeURIComponent(sign(value, first))}`
  }
  const pairs = await Promise.all(header.split(";").map(acceptPair))
  return pairs.flat().join(";")
}

import { createHmac, timingSafeEqual } from "node:crypto"

import type { MiddlewareHandler } from "hono"

import type { Configuration } from "../../configuration.ts"
import { decodeCookie } from "../../http/cookie.ts"
import type { HonoEnv } from "../../http/hono-env.ts"
import type { Secret } from "../../secret.ts"

/** `<value>.<base64 HMAC-SHA256 of the value>`, as the library signs cookies. */
const signedValue = /^(.+)\.([A-Za-z0-9+/]{43}=)$/s

/**
 * Signs cookies of the other secret of a rotation anew before anybody reads them. The library knows
 * one secret for cookies, so this is the one place where both are accepted.
 */
export const acceptOtherSecret: MiddlewareHandler<HonoEnv> = async (context, next) => {
  const { raw } = context.req
  const cookie = signAnew(raw.headers.get("cookie") ?? "", context.get("services").configuration)
  if (cookie !== undefined) {
    const headers = new Headers(raw.headers)
    headers.set("cookie", cookie)
    context.req.raw = new Request(raw, { headers })
  }
  await next()
}

/** Returns the header with other signatures; undefined if there is nothing to sign anew. */
function signAnew(
  header: string,
  { secret, otherSecret }: Pick<Configuration, "secret" | "otherSecret">,
): string | undefined {
  if (otherSecret === undefined || header === "") return undefined
  const pairs = header.split(";")
  const signed = pairs.map((pair) => {
    const start = pair.indexOf("=") + 1
    const [, value, signature] =
      signedValue.exec(decodeCookie(pair.slice(start).trim()) ?? "") ?? []
    if (value === undefined || signature === undefined) return pair
    if (!isSignature(signature, signatureOf(value, otherSecret))) return pair
    const anew = encodeURIComponent(`${value}.${signatureOf(value, secret)}`)
    return `${pair.slice(0, start)}${anew}`
  })
  return signed.some((pair, index) => pair !== pairs[index]) ? signed.join(";") : undefined
}

function signatureOf(value: string, secret: Secret) {
  return createHmac("sha256", secret.reveal()).update(value).digest("base64")
}

function isSignature(given: string, expected: string) {
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected))
}

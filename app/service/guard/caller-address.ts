import { createHmac, timingSafeEqual } from "node:crypto"

import type { MiddlewareHandler } from "hono"

import type { Secret } from "../platform/configuration/secret.ts"
import { log } from "../platform/http/log.ts"
import type { HonoEnv } from "../platform/http/routing.ts"

const header = "accounts-caller"

/** Clock difference to tolerate, in seconds. */
const tolerance = 300

const form = /^((\d{10}) ([\da-f.:]{2,45})) ([\da-f]{64})$/i

/**
 * Sets the client address of a request that the front end's server makes for a reader. Without it, all readers would
 * share the server's address and limit. The server signs the address and the time with FRONT_END_KEY.
 */
export const takeCallerAddress: MiddlewareHandler<HonoEnv> = async (context, next) => {
  const { raw } = context.req
  const value = raw.headers.get(header)
  if (value === null) return next()
  const headers = new Headers(raw.headers)
  headers.delete(header)
  const address = addressIn(value, context.get("services").configuration.frontEndKey)
  if (address === undefined) log("warn", "caller.refused")
  else headers.set("cf-connecting-ip", address)
  context.req.raw = new Request(raw, { headers })
  return next()
}

function addressIn(value: string, key: Secret | undefined) {
  const [, text = "", seconds, address, signature = ""] = form.exec(value) ?? []
  const isNow = Math.abs(Number(seconds) - Date.now() / 1000) <= tolerance
  if (key === undefined || !isNow) return undefined
  const expected = createHmac("sha256", key.reveal()).update(text).digest()
  return timingSafeEqual(expected, Buffer.from(signature, "hex")) ? address : undefined
}

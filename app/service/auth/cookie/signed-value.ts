import { createHmac, timingSafeEqual } from "node:crypto"

/** `<value>.<base64 HMAC-SHA256 of the value>`, as the library signs cookies. */
const signed = /^(.+)\.([A-Za-z0-9+/]{43}=)$/s

export function hmacOf(value: string, key: string) {
  return createHmac("sha256", key).update(value).digest()
}

export function sign(value: string, key: string) {
  return `${value}.${hmacOf(value, key).toString("base64")}`
}

/** The value, which is empty if it has no signature, and whether a key signed it. */
export function readSigned(text: string) {
  const [, value = "", signature = ""] = signed.exec(text) ?? []
  const given = Buffer.from(signature, "base64")
  return {
    value,
    isBy: (key: string) => value !== "" && timingSafeEqual(given, hmacOf(value, key)),
  }
}

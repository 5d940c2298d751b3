import { createHmac } from "node:crypto"

/** `<value>.<base64 HMAC-SHA256 of the value>`, as the library signs cookies. */
const signed = /^(.+)\.([A-Za-z0-9+/]{43}=)$/s

export function sign(value: string, key: string) {
  return `${value}.${createHmac("sha256", key).update(value).digest("base64")}`
}

/** The value, which is empty if it has no signature, and whether a key signed it. */
export function readSigned(text: string) {
  const [, value = "", signature = ""] = signed.exec(text) ?? []
  return {
    value,
    isBy: async (key: string) => signature !== "" && verify({ text, value, signature, key }),
  }
}

/** By the key's text: each is imported once. */
const imported = new Map<string, CryptoKey>()

/** What was verified last: more than one step of a request asks about its cookie. */
let latest = { text: "", key: "", isBy: false }

type Signed = { text: string; value: string; signature: string; key: string }

async function verify({ text, value, signature, key }: Signed) {
  if (latest.text === text && latest.key === key) return latest.isBy
  const given = Buffer.from(signature, "base64")
  const isBy = await crypto.subtle.verify("HMAC", await keyOf(key), given, Buffer.from(value))
  latest = { text, key, isBy }
  return isBy
}

async function keyOf(text: string) {
  const known = imported.get(text)
  if (known !== undefined) return known
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", Buffer.from(text), algorithm, false, ["verify"])
  imported.set(text, key)
  return key
}

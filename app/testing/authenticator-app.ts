import { createHmac } from "node:crypto"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

function bytesOf(base32: string) {
  const bits = Array.from(base32, (letter) =>
    alphabet.indexOf(letter).toString(2).padStart(5, "0"),
  ).join("")
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)))
}

/**
 * An app that shows codes, of RFC 6238 and independent of the service's own.
 * @param uri otpauth://
 */
export function createApp(uri: string) {
  const secret = bytesOf(new URL(uri).searchParams.get("secret") ?? "")
  return {
    /** The code of now, or of so many half minutes later. */
    code: (later = 0) => {
      const counter = Buffer.alloc(8)
      counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later))
      const mac = createHmac("sha1", secret).update(counter).digest()
      const from = (mac.at(-1) ?? 0) & 15
      return String((mac.readUInt32BE(from) & 0x7fffffff) % 1_000_000).padStart(6, "0")
    },
  }
}

import * as z from "zod"

import { sealedCookie } from "../cookie/sealed-cookie.ts"

export function createNonce() {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")
}

/** Lets the browser alone that asks for a code use it, and none that it has asked for before. */
export const askingBrowser = sealedCookie("sign_in_code", z.object({ nonce: z.string() }))

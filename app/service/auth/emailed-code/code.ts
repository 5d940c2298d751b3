import * as z from "zod"

import { sealedCookie } from "../cookie/sealed-cookie.ts"

export const codeLength = 8

/** Digits that somebody types or pastes, with or without blanks. */
export function digits(length: number, error: string) {
  return z
    .string()
    .overwrite((typed) => typed.replaceAll(/\s/g, ""))
    .regex(new RegExp(`^\\d{${length}}$`), error)
}

/** What a letter says. */
export const Code = digits(codeLength, "Must be eight digits")

export function createNonce() {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")
}

/** Lets the browser alone that asks for a code use it, and none that it has asked for before. */
export const askingBrowser = sealedCookie("sign_in_code", z.object({ nonce: z.string() }))

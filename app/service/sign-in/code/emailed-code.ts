import { createHmac, randomInt } from "node:crypto"

import { and, eq, gt, inArray, type SQL } from "drizzle-orm"
import * as z from "zod"

import type { Keys } from "../../platform/configuration/keys.ts"
import { sealedCookie } from "../../platform/cookie/host-cookie.ts"
import { verification } from "../../platform/database/auth.table.ts"
import type { Database } from "../../platform/database/database.ts"
import { openVerification } from "../../session/verification-opening.ts"

const codeLength = 8

/** Schema of digits that a user types or pastes, with or without spaces. */
export function digits(length: number, error: string) {
  return z
    .string()
    .overwrite((typed) => typed.replaceAll(/\s/g, ""))
    .regex(new RegExp(`^\\d{${length}}$`), error)
}

export const Code = digits(codeLength, "Must be eight digits")

export function createNonce() {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")
}

/** Binds a code to the browser that requested it. A new request invalidates the browser's previous code. */
export const askingBrowser = sealedCookie("sign_in_code", z.object({ nonce: z.string() }))

/** Milliseconds. */
const lifetime = 10 * 60 * 1000

type Asked = {
  keys: Keys
  /** Purpose of the code. The code is invalid for any other purpose. */
  kind: "address_code" | "emailed_code" | "step_up_code"
  /** The requester and the address. The code is invalid for any other. */
  from: readonly string[]
  code: string
}

/** Returns eight random digits; all codes are equally likely. */
export function createCode() {
  return String(randomInt(10 ** codeLength)).padStart(codeLength, "0")
}

/**
 * Returns the identifiers of a code, one for each key. They are keyed hashes, so that a reader of the database cannot
 * try all codes.
 */
function identifiersOf({ keys, kind, from, code }: Asked) {
  return keys.of(kind).map((key) =>
    createHmac("sha256", key)
      .update([...from, code].join("\n"))
      .digest("base64url"),
  )
}

export function openCode(
  database: Database,
  codeInput: Asked & { userId: string | SQL<string> },
  when: SQL,
) {
  const [identifier = ""] = identifiersOf(codeInput)
  return openVerification(database, { identifier, userId: codeInput.userId, lifetime }, when)
}

/** Condition on a row of `verification`: it belongs to the code, and has not expired. */
export function isCode(codeInput: Asked) {
  return and(
    inArray(verification.identifier, identifiersOf(codeInput)),
    gt(verification.expiresAt, new Date()),
  )
}

/** As `isCode`, for one account. */
export function isCodeOf(codeInput: Asked & { userId: string }) {
  return and(isCode(codeInput), eq(verification.value, codeInput.userId))
}

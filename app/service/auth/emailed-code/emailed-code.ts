import { createHmac, randomInt } from "node:crypto"

import { and, eq, gt, inArray, type SQL } from "drizzle-orm"

import type { Database } from "../../database/database.ts"
import { verification } from "../auth.table.ts"
import type { Keys } from "../keys.ts"
import { openVerification } from "../verification-opening.ts"
import { codeLength } from "./code.ts"

/** Milliseconds. */
const lifetime = 10 * 60 * 1000

type Asked = {
  keys: Keys
  /** What it is good for: it is nothing for anything else. */
  kind: "address_code" | "emailed_code" | "step_up_code"
  /** Who has asked for it, and for which address: from anybody else it is nothing. */
  from: readonly string[]
  code: string
}

/** Of eight digits, each as likely as all others. */
export function createCode() {
  return String(randomInt(10 ** codeLength)).padStart(codeLength, "0")
}

/** Under which a code is found, by each key: whoever reads the database cannot try all of them. */
function identifiersOf({ keys, kind, from, code }: Asked) {
  return keys.of(kind).map((key) =>
    createHmac("sha256", key)
      .update([...from, code].join("\n"))
      .digest("base64url"),
  )
}

/** Statement that makes a code good. */
export function openCode(
  database: Database,
  asked: Asked & { userId: string | SQL<string> },
  when: SQL,
) {
  const [identifier = ""] = identifiersOf(asked)
  return openVerification(database, { identifier, userId: asked.userId, lifetime }, when)
}

/** Condition on a row of `verification`: it makes the code good. */
export function isCode(asked: Asked) {
  return and(
    inArray(verification.identifier, identifiersOf(asked)),
    gt(verification.expiresAt, new Date()),
  )
}

/** As `isCode`, for one account. */
export function isCodeOf(asked: Asked & { userId: string }) {
  return and(isCode(asked), eq(verification.value, asked.userId))
}

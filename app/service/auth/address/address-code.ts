import { createHmac, randomInt } from "node:crypto"

import { and, eq, gt, inArray, type SQL } from "drizzle-orm"

import { rowIf } from "../../database/conditional-row.ts"
import type { Database } from "../../database/database.ts"
import { createId } from "../../database/identifier.ts"
import { verification } from "../auth.table.ts"
import type { Keys } from "../keys.ts"

/** Milliseconds. */
const lifetime = 10 * 60 * 1000

export const codeLength = 8

type Asked = {
  keys: Keys
  /** Of the session that asks: in another one the code is nothing. */
  token: string
  email: string
  code: string
}

/** Of eight digits, each as likely as all others. */
export function createCode() {
  return String(randomInt(10 ** codeLength)).padStart(codeLength, "0")
}

/** Under which a code is found, by each key: whoever reads the database cannot try all of them. */
function identifiersOf({ keys, token, email, code }: Asked) {
  return keys
    .of("address_code")
    .map((key) =>
      createHmac("sha256", key).update(`${token}\n${email}\n${code}`).digest("base64url"),
    )
}

/** Statement that makes a code good, until whatever ends access to the account ends it. */
export function openCode(database: Database, asked: Asked & { userId: string }, when: SQL) {
  const now = new Date()
  const row = {
    id: createId("verification"),
    identifier: identifiersOf(asked)[0] ?? "",
    value: asked.userId,
    expiresAt: new Date(now.getTime() + lifetime),
    createdAt: now,
    updatedAt: now,
  }
  return database.insert(verification).select(rowIf(verification, row, when))
}

/** Condition on a row of `verification`: it makes the code good. */
export function isCode(asked: Asked & { userId: string }) {
  return and(
    inArray(verification.identifier, identifiersOf(asked)),
    eq(verification.value, asked.userId),
    gt(verification.expiresAt, new Date()),
  )
}

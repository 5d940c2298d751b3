import { createHash } from "node:crypto"

import { base32 } from "@better-auth/utils/base32"
import { and, eq, type SQL, sql } from "drizzle-orm"

import type { Database } from "../../database/database.ts"
import { recoveryCode } from "./factor.table.ts"
import { codesAtOnce } from "./factor.ts"

/** Of a code: 80 bits, so a hash without a key keeps it, and no other secret takes it away. */
const bytes = 10

/** New codes, as they are shown once: four groups of four letters and digits. */
export function createCodes() {
  return Array.from({ length: codesAtOnce }, () => {
    const code = base32.encode(crypto.getRandomValues(new Uint8Array(bytes)), { padding: false })
    return code.toLowerCase().replaceAll(/.{4}(?=.)/g, "$&-")
  })
}

/** Of a code as somebody types it. */
export function hashOfCode(code: string) {
  const typed = code.replaceAll(/[\s-]/g, "").toLowerCase()
  return createHash("sha256").update(typed).digest("base64url")
}

/** Statements that put new codes in the place of all that a member has. */
export function replaceCodes(database: Database, userId: string, codes: string[], when: SQL) {
  const hashes = JSON.stringify(codes.map(hashOfCode))
  return {
    codes: database.delete(recoveryCode).where(and(eq(recoveryCode.userId, userId), when)),
    newCodes: database
      .insert(recoveryCode)
      .select(sql`select value, ${userId} from json_each(${hashes}) where ${when}`),
  }
}

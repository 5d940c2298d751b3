import { createHash } from "node:crypto"

import { base32 } from "@better-auth/utils/base32"
import { and, eq, not, type SQL, sql } from "drizzle-orm"

import { codesAtOnce, recoveryCode } from "../../platform/database/auth.table.ts"
import type { Database } from "../../platform/database/database.ts"

/** Length of a code: 80 bits, so an unkeyed hash is enough, and no secret's rotation invalidates it. */
const bytes = 10

/** New codes, as they are shown once: four groups of four letters and digits. */
export function createCodes() {
  return Array.from({ length: codesAtOnce }, () => {
    const code = base32.encode(crypto.getRandomValues(new Uint8Array(bytes)), { padding: false })
    return code.toLowerCase().replaceAll(/.{4}(?=.)/g, "$&-")
  })
}

/** Hashes a code as a user types it. */
export function hashOfCode(code: string) {
  const typed = code.replaceAll(/[\s-]/g, "").toLowerCase()
  return createHash("sha256").update(typed).digest("base64url")
}

/** Statements that put new codes in the place of all that a member has. */
export function replaceCodes(database: Database, userId: string, codes: string[], when: SQL) {
  const hashes = JSON.stringify(codes.map(hashOfCode))
  const isNew = sql`${recoveryCode.hash} in (select value from json_each(${hashes}))`
  const hasNew = sql`exists (select 1 from ${recoveryCode} where ${recoveryCode.userId} = ${userId} and ${isNew})`
  return {
    newCodes: database
      .insert(recoveryCode)
      .select(sql`select value, ${userId} from json_each(${hashes}) where ${when}`),
    codes: database
      .delete(recoveryCode)
      .where(and(eq(recoveryCode.userId, userId), not(isNew), hasNew)),
  }
}

/**
 * Runs the statements that store new recovery codes, and repeats them if the codes have changed in between.
 * D1 may execute late what it never answered: without the condition, codes that the member has not seen could
 * replace those of the next attempt.
 */
export async function showingCodes<Result>(
  database: Database,
  userId: string,
  send: (isUnchanged: SQL) => Promise<Result | undefined>,
) {
  const first = sql`(select coalesce(min(hash), '') from ${recoveryCode} where user_id = ${userId})`
  const attempt = async () => {
    const [row] = await database.all<{ first: string }>(sql`select ${first} as first`)
    return send(sql`${first} = ${row?.first ?? ""}`)
  }
  return (await attempt()) ?? (await attempt())
}

import { createHash } from "node:crypto"

import { base32 } from "@better-auth/utils/base32"
import { and, eq, not, type SQL, sql } from "drizzle-orm"

import { codesAtOnce, recoveryCode } from "../../platform/database/auth.table.ts"
import type { Database } from "../../platform/database/database.ts"

/** Bytes of a code. 80 bits are enough for an unkeyed hash, so no secret's rotation invalidates a code. */
const bytes = 10

/** Returns new codes, each in four groups of four letters and digits. They are shown only once. */
export function createCodes() {
  return Array.from({ length: codesAtOnce }, () => {
    const code = base32.encode(crypto.getRandomValues(new Uint8Array(bytes)), { padding: false })
    return code.toLowerCase().replaceAll(/.{4}(?=.)/g, "$&-")
  })
}

/** Hashes a code, ignoring spaces, hyphens and case. */
export function hashOfCode(code: string) {
  const typed = code.replaceAll(/[\s-]/g, "").toLowerCase()
  return createHash("sha256").update(typed).digest("base64url")
}

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
 * Runs the statements that store new recovery codes, and retries them once if the codes changed in between. D1 may
 * execute an unanswered statement late: without the condition, codes that the member has not seen could replace newer
 * codes.
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

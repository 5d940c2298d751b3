import { type SQL, sql } from "drizzle-orm"

import { createId, type Database, rowIf } from "../database/database.ts"
import type { Language } from "../mail/language.ts"
import { user, verification } from "./auth.table.ts"

type Opening = {
  identifier: string
  userId: string | SQL<string>
  /** Milliseconds. */
  lifetime: number
}

/**
 * Statement that makes what a letter holds good, until whatever ends access to the account ends it. It returns
 * whose it is, and in which language they are written to.
 */
export function openVerification(
  database: Database,
  { identifier, userId, lifetime }: Opening,
  when: SQL,
) {
  const now = new Date()
  const row = {
    id: createId("verification"),
    identifier,
    value: userId,
    expiresAt: new Date(now.getTime() + lifetime),
    createdAt: now,
    updatedAt: now,
  }
  return database
    .insert(verification)
    .select(rowIf(verification, row, when))
    .returning({
      owner: verification.value,
      language: sql<Language | null>`(select language from ${user} where id = value)`,
    })
}

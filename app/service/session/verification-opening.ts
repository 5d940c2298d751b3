import { type SQL, sql } from "drizzle-orm"

import { user, verification } from "../platform/database/auth.table.ts"
import { createId, type Database, rowIf } from "../platform/database/database.ts"
import type { Language } from "../platform/mail/language.ts"

type Opening = {
  identifier: string
  userId: string | SQL<string>
  /** Milliseconds. */
  lifetime: number
}

/**
 * Returns the statement that stores a verification, such as an emailed code, until it expires or access to the account
 * is revoked. It returns the owner and the language of their emails.
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

import { and, eq, sql, type SQL } from "drizzle-orm"

import { audit } from "../../admin/audit.ts"
import { rowIf } from "../../conditional-row.ts"
import type { Database } from "../../database.ts"
import type { Attempts } from "../attempts.ts"
import { account, session, user, verification } from "../auth.table.ts"
import { credentialRow } from "./credential-row.ts"

type Options = { database: Database; attempts: Attempts }

type Proven = {
  userId: string
  email: string
  /** Hash of the new password. */
  password: string
  /** The statements change nothing unless this holds. */
  when?: SQL
}

/**
 * Statements that set the password of somebody who has just proven, by an e-mail, to own the address.
 * Nothing stays that somebody else may have set or opened before. The first returns a row if they did.
 */
export function setProvenPassword(
  { database, attempts }: Options,
  { userId, email, password, when = sql`true` }: Proven,
) {
  const now = new Date()
  const row = credentialRow({ userId, password, now })
  return [
    database
      .insert(account)
      .select(rowIf(account, row, when))
      .onConflictDoUpdate({
        target: [account.providerId, account.accountId],
        set: { password, updatedAt: now },
      })
      .returning({ id: account.id }),
    database.delete(verification).where(and(eq(verification.value, userId), when)),
    attempts.forget("sign-in", email),
    audit({ database, action: "reset_password", actorId: null, subjectId: userId, when }),
    database.delete(session).where(and(eq(session.userId, userId), when)),
    // Last: the condition of the others may be that the address is not verified yet.
    proveByEmail(database, userId, now),
  ] as const
}

/** Keeps nothing that somebody set who had not proven to own the address. */
function proveByEmail(database: Database, userId: string, now: Date) {
  const unproven = sql`${user.unprovenSince} is not null`
  return database
    .update(user)
    .set({
      emailVerified: true,
      unprovenSince: null,
      name: sql`case when ${unproven} then substr(${user.email}, 1, instr(${user.email}, '@') - 1) else ${user.name} end`,
      image: sql`case when ${unproven} then null else ${user.image} end`,
      updatedAt: now,
    })
    .where(and(eq(user.id, userId), eq(user.emailVerified, false)))
}

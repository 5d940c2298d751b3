import { and, eq, ne, sql, type SQL } from "drizzle-orm"

import { audit } from "../../admin/audit.ts"
import { rowIf } from "../../database/conditional-row.ts"
import type { Database } from "../../database/database.ts"
import { credentialRow, hasPassword } from "../account-row.ts"
import { account, session, user, verification } from "../auth.table.ts"
import type { Dependencies } from "../dependencies.ts"
import { isOpen } from "../sign-up/unproven.ts"

type Proven = {
  userId: string
  email: string
  /** Hash of the new password. */
  password: string
  /** The sign-up that is proven now, whose name the owner set together with the password. */
  signUp?: { id: string; name: string } | undefined
  /** The statements change nothing unless this holds when the first is run. */
  when: SQL
}

/**
 * Statements that set the password of somebody who has just proven, by an e-mail, to own the address.
 * Nothing stays that somebody else may have set or opened before. `replaced` returns a row if they did.
 */
export function setProvenPassword(
  { database, attempts }: Pick<Dependencies, "database" | "attempts">,
  { userId, email, password, signUp, when }: Proven,
) {
  const now = new Date()
  const row = credentialRow(userId, password)
  // That of a sign-up comes with each opening of its link.
  const isSet = sql`${hasPassword(userId, password)} and ${signUp === undefined ? sql`true` : when}`
  return {
    replaced: database
      .insert(account)
      .select(rowIf(account, row, when))
      .onConflictDoUpdate({
        target: [account.providerId, account.accountId],
        set: { password, updatedAt: now },
      })
      .returning({ id: account.id }),
    resets: database.delete(verification).where(and(eq(verification.value, userId), isSet)),
    attempts: attempts.forget("sign-in", email),
    entry:
      signUp === undefined
        ? audit({
            database,
            action: "reset_password",
            actorId: null,
            subjectId: userId,
            when: isSet,
          })
        : undefined,
    sessions: database.delete(session).where(and(eq(session.userId, userId), isSet)),
    // A provider may have made them that is not the authority on the address.
    identities:
      signUp === undefined
        ? database
            .delete(account)
            .where(
              and(
                eq(account.userId, userId),
                ne(account.providerId, "credential"),
                sql`exists (select 1 from ${user} where id = ${userId} and ${user.unprovenSince} is not null)`,
                isSet,
              ),
            )
        : undefined,
    proven: proveByEmail(database, { userId, signUp, when: isSet }),
  }
}

/** Keeps nothing that somebody set who had not proven to own the address. */
function proveByEmail(
  database: Database,
  { userId, signUp, when }: Pick<Proven, "userId" | "signUp" | "when">,
) {
  const unproven = sql`${user.unprovenSince} is not null`
  // A later sign-up has left its own image here.
  const isLatest = sql`exists (select 1 from ${account} where ${account.id} = ${signUp?.id ?? null})`
  const localPart = sql`substr(${user.email}, 1, instr(${user.email}, '@') - 1)`
  return database
    .update(user)
    .set({
      emailVerified: true,
      unprovenSince: null,
      name: sql`case when ${unproven} then ${signUp?.name ?? localPart} else ${user.name} end`,
      image: sql`case when ${unproven} and not ${isLatest} then null else ${user.image} end`,
      updatedAt: new Date(),
    })
    .where(and(eq(user.id, userId), isOpen, when))
}

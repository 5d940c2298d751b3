import { sql, type SQL } from "drizzle-orm"

import { audit } from "../../platform/audit/audit.ts"
import { account, user } from "../../platform/database/auth.table.ts"
import { rowIf } from "../../platform/database/database.ts"
import { credentialRow, hasPassword } from "../../session/assurance/authenticators.ts"
import type { Dependencies } from "../../session/endpoint.ts"
import { localPart, prove } from "../../session/proof.ts"

type Proven = {
  userId: string
  email: string
  password: string
  /** The sign-up that is verified now. Its name was set by the owner together with the password. */
  signUp?: { id: string; name: string } | undefined
  /** The statements change nothing unless this is true when the first one runs. */
  when: SQL
  headers?: Headers | undefined
}

/**
 * Returns the batch that sets the password of a member who has just verified the address by an emailed link. It
 * removes everything that other people may have set or opened before. `replaced` returns a row if it ran.
 */
export function setProvenPassword(
  { database, attempts, letters }: Pick<Dependencies, "database" | "attempts" | "letters">,
  { userId, email, password, signUp, when, headers }: Proven,
) {
  const now = new Date()
  const row = credentialRow(userId, password)
  // Each opened link sets the password of its own sign-up.
  const isSet = sql`${hasPassword(userId, password)} and ${signUp === undefined ? sql`true` : when}`
  // A later sign-up may have replaced the image.
  const isLatest = sql`exists (select 1 from ${account} where ${account.id} = ${signUp?.id ?? null})`
  const change = {
    replaced: database
      .insert(account)
      .select(rowIf(account, row, when))
      .onConflictDoUpdate({
        target: [account.providerId, account.accountId],
        set: { password, updatedAt: now },
      })
      .returning({ id: account.id }),
  }
  const after = {
    ...prove(database, {
      userId,
      when: isSet,
      endsAccess: true,
      keeps: sql`${account.providerId} = 'credential'`,
      profile: {
        name: signUp?.name ?? localPart,
        image: sql`case when ${isLatest} then ${user.image} end`,
      },
    }),
    attempts: attempts.forget("sign-in", email),
    entry: audit({
      database,
      action: "reset_password",
      actorId: null,
      subjectId: userId,
      when: signUp === undefined ? hasPassword(userId, password) : sql`false`,
      headers,
      letter: letters.owed(),
    }),
  }
  return { change, after }
}

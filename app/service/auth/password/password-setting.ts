import { eq, isNull, sql } from "drizzle-orm"

import { rowIf, sendNamed } from "../../database/database.ts"
import { endAccess } from "../access-ending.ts"
import { credentialRow, hasPassword } from "../account-row.ts"
import { createApiError } from "../api-error.ts"
import { isStillProven, provenSession } from "../assurance/assurance.ts"
import { account, user } from "../auth.table.ts"
import type { Dependencies } from "../dependencies.ts"
import { post } from "../endpoint.ts"

/** A first password, for who has come in by a provider alone: a reset would do, and takes a letter. */
export function passwordSetting({ configuration, database, letters, marks }: Dependencies) {
  const setPassword = post(
    "/set-password",
    provenSession({ configuration, database }),
    async (context) => {
      const { user: owner, session: own } = context.context.session
      const password = await context.context.password.hash(context.body.newPassword)
      const isSet = hasPassword(owner.id, password)
      const { signedIn, set, entry } = await sendNamed(database, {
        signedIn: database
          .select({ isProven: sql<number>`${isStillProven(own)}` })
          .from(user)
          .where(eq(user.id, owner.id)),
        set: database
          .insert(account)
          .select(rowIf(account, credentialRow(owner.id, password), isStillProven(own)))
          .onConflictDoUpdate({
            target: [account.providerId, account.accountId],
            set: { password, updatedAt: new Date() },
            setWhere: isNull(account.password),
          })
          .returning({ id: account.id }),
        ...endAccess(database, { userId: owner.id, keeps: "sessions", when: isSet }),
        entry: letters.note(context.headers, {
          action: "set_password",
          userId: owner.id,
          when: isSet,
        }),
      })
      if (signedIn[0]?.isProven !== 1) throw createApiError("UNAUTHORIZED")
      if (set[0] === undefined) throw createApiError("PASSWORD_EXISTS")
      letters.send(entry)
      await marks.knownBrowser.set(context, owner.email)
      return context.json({ status: true })
    },
  )
  return { setPassword }
}

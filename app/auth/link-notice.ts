import { and, eq, sql } from "drizzle-orm"

import { auditOwn } from "../admin/audit.ts"
import type { Database } from "../database.ts"
import { account, user } from "./auth.table.ts"
import type { Emails } from "./emails.ts"

type Options = {
  database: Database
  emails: Emails | undefined
  /** The row that has just been inserted. */
  linked: { id: string; userId: string; providerId: string }
}

/** Records a provider's identity, and tells the owner of an account that had another way in before. */
export async function tellOfLink({ database, emails, linked }: Options) {
  const { id, userId, providerId } = linked
  if (providerId === "credential") return
  const other = sql`exists (select 1 from ${account}
    where ${account.userId} = ${userId} and ${account.id} <> ${id})`
  const [, [owner]] = await database.batch([
    auditOwn({ database, action: "link_identity", userId, detail: providerId }),
    database
      .select({ email: user.email })
      .from(user)
      .where(and(eq(user.id, userId), other)),
  ])
  if (owner !== undefined) emails?.sendLinked(owner, providerId)
}

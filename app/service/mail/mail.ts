import { and, desc, gte, lt, notInArray } from "drizzle-orm"

import { verification } from "../auth/auth.table.ts"
import type { Secret } from "../configuration/secret.ts"
import { createId, type Database } from "../database/database.ts"
import { log, reasonOf } from "../http/log.ts"
import { call } from "../http/outbound.ts"

export type MailSender = {
  url: string
  from: string
  secret: Secret | undefined
}

export type Mail = {
  to: string
  subject: string
  text: string
  /** Of one that may come again: a sender which knows such keys takes it once. */
  key?: string | undefined
}

/** Posts an e-mail to the sender; returns whether it took it. Logs failures instead of throwing. */
export async function sendMail(sender: MailSender, { key, ...mail }: Mail) {
  try {
    const { ok, status } = await call(sender.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key !== undefined && { "idempotency-key": key }),
        ...(sender.secret === undefined
          ? {}
          : { authorization: `Bearer ${sender.secret.reveal()}` }),
      },
      body: JSON.stringify({ from: sender.from, ...mail }),
    })
    if (!ok) log("error", "mail.refused", { subject: mail.subject, status })
    return ok
  } catch (error) {
    log("error", "mail.failed", { subject: mail.subject, reason: reasonOf(error) })
    return false
  }
}

/** `./accounts branch mail` reads these. */
const identifier = "letter:"
/** Anybody may make a preview write letters. */
const most = 100
/** Milliseconds, after which the sweep deletes it with all else that expires: as long as the longest link. */
const lifetime = 24 * 60 * 60 * 1000

/**
 * Keeps a letter where its tokens are checked, for whoever may read the database. The rows are those of a
 * table that every environment has, so a preview has the schema of production.
 */
export async function keepLetter(database: Database, { key, ...mail }: Mail) {
  const now = new Date()
  const id = key ?? createId("verification")
  const isLetter = and(
    gte(verification.identifier, identifier),
    lt(verification.identifier, "letter;"),
  )
  const newest = database.select({ id: verification.id }).from(verification).where(isLetter)
  try {
    await database.batch([
      database
        .insert(verification)
        .values({
          id,
          identifier: `${identifier}${id}`,
          value: JSON.stringify(mail),
          expiresAt: new Date(now.getTime() + lifetime),
          createdAt: now,
          updatedAt: now,
        })
        .onConflictDoNothing(),
      database
        .delete(verification)
        .where(
          and(
            isLetter,
            notInArray(verification.id, newest.orderBy(desc(verification.createdAt)).limit(most)),
          ),
        ),
    ])
    return true
  } catch (error) {
    log("error", "mail.failed", { subject: mail.subject, reason: reasonOf(error) })
    return false
  }
}

import { and, desc, gte, lt, notInArray } from "drizzle-orm"

import type { Secret } from "../configuration/secret.ts"
import { verification } from "../database/auth.table.ts"
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
  /** Idempotency key of an email that may be sent again. A mail service that supports it delivers the email once. */
  key?: string | undefined
}

/** Posts an email to the mail service, and returns whether it was accepted. Logs failures instead of throwing. */
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

/** Prefix of the rows that `./accounts branch mail` reads. */
const identifier = "letter:"
/** Limit of stored emails, because anyone can make a preview write them. */
const most = 100
/** Milliseconds after which the sweep deletes a stored email; equal to the longest lifetime of a link. */
const lifetime = 24 * 60 * 60 * 1000

/**
 * Stores an email in the table of tokens, for readers of the database. Every environment has this table, so a preview
 * needs no schema of its own.
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

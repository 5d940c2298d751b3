import { sql } from "drizzle-orm"
import * as z from "zod"

import { networkSubject } from "../../guard/attempts.ts"
import { emailAllowance } from "../../guard/email-allowance.ts"
import { NewPassword } from "../../guard/new-password.ts"
import { isSmokeAddress } from "../../guard/smoke.ts"
import { TurnstileToken } from "../../guard/turnstile.ts"
import { audit } from "../../platform/audit/audit.ts"
import { account, user } from "../../platform/database/auth.table.ts"
import { afterAnswer } from "../../platform/database/bounded-database.ts"
import { createId, rowIf, sendNamed } from "../../platform/database/database.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { Email } from "../../platform/mail/email-address.ts"
import { wishedLanguage } from "../../platform/mail/language.ts"
import { credentialRow } from "../../session/assurance/authenticators.ts"
import { type Dependencies, type Path, post } from "../../session/endpoint.ts"
import { Image, Name } from "../../session/profile.ts"
import { isUnproven } from "../../session/proof.ts"
import { enterAccount, openSession } from "../../session/session-opening.ts"
import { acceptInvitation } from "./invited-sign-up.ts"

export const signUpEmailPath = {
  path: "/sign-up/email",
  is: ["password", "letter", "open"],
  body: z.object({
    name: Name,
    email: Email,
    password: NewPassword,
    image: Image.optional(),
    callbackURL: z.string().optional(),
    errorCallbackURL: z.string().optional(),
    rememberMe: z.boolean().optional(),
    invitation: z.string().max(100).optional(),
    turnstile: TurnstileToken,
  }),
} as const satisfies Path

/**
 * Replaces the library's sign-up, in which the first sign-up with an address decides what a later verification
 * confirms. Here no sign-up replaces another, because each may come from a stranger: a link sets the values of its own
 * sign-up. If addresses must be verified, known and unknown ones get the same response before anything about them is
 * read or written.
 */
export function emailSignUp(dependencies: Dependencies) {
  const { database, attempts, emails, marks, configuration } = dependencies
  const { verifyEmail } = configuration
  const signUpEmail = post(signUpEmailPath, [], async (context) => {
    const { password, callbackURL, errorCallbackURL, rememberMe, invitation, ...profile } =
      context.body
    const pages = { page: callbackURL, errorPage: errorCallbackURL }
    const { name, email, image } = profile
    // A smoke address receives no email. Its code has already proved that a release uses it.
    const emailVerified = isSmokeAddress(email)
    attempts.admit("sign-up", await attempts.count("sign-up", networkSubject(context.headers)))
    const hash = await context.context.password.hash(password)
    const now = new Date()
    const row = {
      createdAt: now,
      updatedAt: now,
      id: createId("user"),
      email,
      emailVerified,
      name,
      image: image ?? null,
      role: "member",
      plan: "free",
      planUntil: null,
    } as const
    const forgets = rememberMe === false
    if (invitation !== undefined) {
      const invited = { token: invitation, row, hash, forgets }
      return context.json(await acceptInvitation(context, dependencies, invited))
    }
    // The user whom the link of this sign-up is for: a new one, or one that waits for a link, too.
    const accepted = context.headers?.get("accept-language") ?? null
    const language =
      wishedLanguage({ chosen: [], accepted, offered: configuration.look.languages }) ?? null
    const waiting = sql<string>`(select id from ${user} where ${user.email} = ${row.email}
        and (id = ${row.id} or ${verifyEmail ? isUnproven : sql`false`}))`
    const credential = credentialRow(row.id, hash)
    const isWaiting = sql`${waiting} is not null`
    const allowance = emailAllowance(attempts, {
      email,
      kind: "email",
      headers: context.headers,
      // Notices about an existing account must not use up its owner's own email allowance.
      subject: { known: { name: email }, other: `${email} existing`, when: isWaiting },
      when: sql`${emails !== undefined} and (${isWaiting} or ${verifyEmail})`,
    })
    const opening = { database, userId: row.id, forgets, when: isWaiting }
    const opened = verifyEmail ? undefined : await openSession(context, opening)
    const store = async () => {
      const { open, letters } = await sendNamed(database, {
        open: database
          .insert(user)
          .values({ ...row, language, unprovenSince: verifyEmail && !emailVerified ? now : null })
          .onConflictDoUpdate({
            target: user.email,
            set: { name, image: row.image, language, unprovenSince: now, updatedAt: now },
            setWhere: verifyEmail ? isUnproven : sql`false`,
          })
          .returning({ id: user.id }),
        account: database
          .insert(account)
          .select(rowIf(account, { ...credential, userId: waiting, accountId: waiting }, isWaiting))
          .onConflictDoUpdate({
            target: [account.providerId, account.accountId],
            set: { id: credential.id, password: hash, updatedAt: now },
          }),
        letters: allowance.counts,
        // If addresses must be verified, the link makes the sign-up an account.
        entry:
          opened &&
          audit({
            database,
            action: "sign_up",
            actorId: row.id,
            subjectId: row.id,
            detail: "password",
            when: isWaiting,
            headers: context.headers,
          }),
        ...opened?.statements,
      })
      const [openRow] = open
      if (!verifyEmail && openRow === undefined) {
        throw createApiError("USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL")
      }
      if (!allowance.admits(letters)) return
      if (openRow === undefined) return emails?.sendExisting({ email: row.email, accepted })
      const signUp = verifyEmail ? { id: credential.id, name, password: hash } : undefined
      emails?.sendVerification({ id: openRow.id, email: row.email, accepted }, { pages, signUp })
    }
    if (opened === undefined) {
      // Runs after the response, because the writes depend on the address.
      afterAnswer(store)
      await marks.signUp.set(context, { id: credential.id, email: row.email })
      return context.json({ token: null, user: row })
    }
    await store()
    const entering = { row: opened.row, owner: row, isKnown: false }
    const answer = await enterAccount(context, dependencies, entering)
    await marks.signUp.set(context, row)
    return context.json(answer)
  })
  return { signUpEmail }
}

import { and, eq } from "drizzle-orm"
import * as z from "zod"

import { isSmokeAddress } from "../../guard/smoke.ts"
import { auditOwn } from "../../platform/audit/audit.ts"
import type { EndpointContext } from "../../platform/cookie/host-cookie.ts"
import { account, user } from "../../platform/database/auth.table.ts"
import { sendChange } from "../../platform/database/database.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { Email } from "../../platform/mail/email-address.ts"
import { hasPassword } from "../../session/assurance/authenticators.ts"
import { sessionUserColumns } from "../../session/caller.ts"
import { type Dependencies, type Path, post } from "../../session/endpoint.ts"
import {
  createSuspensionError,
  enterAccount,
  noteRefusal,
  openSession,
  suspension,
} from "../../session/session-opening.ts"
import { askForFactor } from "../second-factor/sign-in-step.ts"
import { Password, verifyPassword } from "./password.ts"

export const signInEmailPath = {
  path: "/sign-in/email",
  is: ["password", "open"],
  body: z.object({
    email: Email,
    password: Password,
    rememberMe: z.boolean().optional(),
    callbackURL: z.string().optional(),
  }),
} as const satisfies Path

/**
 * Replaces the library's sign-in, whose session survives a password change during the check of the old password. This
 * one stores the session only if the checked password is still current. It makes two round trips to the database, and
 * sends the same statements for known and unknown addresses.
 */
export function emailSignIn(dependencies: Dependencies) {
  const { database, attempts, marks, configuration } = dependencies

  /** Counts an attempt, and returns the user of the address with the password's hash. */
  const attempt = async (context: EndpointContext, email: string) => {
    const find = database
      .select({
        ...sessionUserColumns,
        unprovenSince: user.unprovenSince,
        suspension,
        factorSince: user.secondFactorSince,
        hash: account.password,
      })
      .from(user)
      .innerJoin(account, eq(account.userId, user.id))
      .where(and(eq(user.email, email), eq(account.providerId, "credential")))
    const subject = await marks.knownBrowser.subject(context, email)
    const [counted, [row]] = await database.batch([attempts.count("sign-in", subject), find])
    if (attempts.isFirstRefused("sign-in", counted)) {
      noteRefusal(dependencies, "sign_in_locked", context, email)
    }
    attempts.admit("sign-in", counted, "TOO_MANY_ATTEMPTS")
    return { found: row, subject }
  }

  const signInEmail = post(signInEmailPath, [], async (context) => {
    const { email, password, callbackURL, rememberMe } = context.body
    const isSmoke = isSmokeAddress(email)
    const refused = (error = createApiError("INVALID_EMAIL_OR_PASSWORD")) => {
      noteRefusal(dependencies, "sign_in_refused", context, email)
      return error
    }
    const { found, subject } = await attempt(context, email)
    if (found === undefined || found.hash === null) {
      // Hashes anyway, because an unknown address must take as long as a known address.
      await context.context.password.hash(password)
      throw refused()
    }
    const { hash, unprovenSince, suspension: reason, factorSince, ...owner } = found
    const isRight = await verifyPassword({ hash, password })
    // Both cases get the same response: a stranger may have signed up with the address and know its password.
    if (!isRight || (configuration.verifyEmail && !owner.emailVerified)) throw refused()
    if (reason !== null) throw refused(createSuspensionError(reason))
    const forgets = rememberMe === false
    const opening = { database, userId: owner.id, forgets, when: hasPassword(owner.id, hash) }
    const signIn = { ...opening, email, way: "password", page: callbackURL }
    const step =
      factorSince === null ? undefined : await askForFactor(context, signIn, configuration)
    const { row, when, statements } = await openSession(context, { ...opening, ...step?.opening })
    const used = database.update(user).set({ unprovenSince: null })
    const { headers } = context
    const entry = { database, userId: owner.id, detail: "password", when, headers }
    const { opened, ...results } = await sendChange(database, {
      change: {
        ...statements,
        ...step?.statements,
      },
      after: {
        attempts: attempts.takeBack("sign-in", subject, when),
        // The account is in use from now on, so a later verification must not clear it.
        used: unprovenSince === null ? undefined : used.where(and(eq(user.id, owner.id), when)),
        entry: isSmoke ? undefined : auditOwn({ ...entry, action: "sign_in" }),
      },
    })
    if (opened[0] === undefined) {
      const ways = await step?.finish?.(results)
      throw ways ? createApiError("SECOND_FACTOR_REQUIRED", undefined, { ways }) : refused()
    }
    const answer = await enterAccount(context, dependencies, {
      row,
      owner,
      isKnown: !isSmoke,
    })
    const redirect = callbackURL !== undefined && callbackURL !== ""
    return context.json({ redirect, url: callbackURL, ...answer })
  })
  return { signInEmail }
}

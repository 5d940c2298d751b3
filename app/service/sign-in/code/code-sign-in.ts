import { eq, sql } from "drizzle-orm"
import * as z from "zod"

import { networkSubject } from "../../guard/attempts.ts"
import { emailAllowance, ownerOrNobody } from "../../guard/email-allowance.ts"
import { auditOwn } from "../../platform/audit/audit.ts"
import { session, user, verification } from "../../platform/database/auth.table.ts"
import { sendChange, sendNamed } from "../../platform/database/database.ts"
import { createApiError } from "../../platform/http/failure.ts"
import { Email } from "../../platform/mail/email-address.ts"
import { sessionUserColumns } from "../../session/caller.ts"
import { type Dependencies, type Path, post } from "../../session/endpoint.ts"
import { localPart, prove } from "../../session/proof.ts"
import {
  enterAccount,
  openSession,
  createSuspensionError,
  suspension,
} from "../../session/session-opening.ts"
import { askForFactor } from "../second-factor/sign-in-step.ts"
import {
  askingBrowser,
  Code,
  createCode,
  createNonce,
  isCode,
  isCodeOf,
  openCode,
} from "./emailed-code.ts"

export const codePaths = {
  signIn: {
    path: "/sign-in/code",
    is: ["code", "open"],
    body: z.object({
      code: Code,
      rememberMe: z.boolean().optional(),
    }),
  },
  begin: {
    path: "/sign-in/code/begin",
    is: ["code", "letter", "open"],
    body: z.object({ email: Email }),
  },
} as const satisfies Record<string, Path>

const kind = "emailed_code" as const

/**
 * Signs in with an emailed code, in the browser that requested it; creates no account. Requests and rejections have
 * the same responses and written rows for every address.
 */
export function codeSignIn(dependencies: Dependencies) {
  const { configuration, database, attempts, emails, marks } = dependencies
  const { keys } = configuration

  const sendCode = post(codePaths.begin, [], async (context) => {
    const { email } = context.body
    const headers = context.headers ?? new Headers()
    const nonce = createNonce()
    const code = createCode()
    const browser = await marks.knownBrowser.subject(context, email)
    const allowance = emailAllowance(attempts, {
      email,
      kind: "code email",
      headers,
      browser,
      // Requests from strangers do not lock out a browser that the owner has used.
      networks: networkSubject(headers),
    })
    const codeInput = { keys, kind, from: [nonce], code, userId: ownerOrNobody(email) }
    const { counted, opened } = await sendNamed(database, {
      counted: allowance.counts,
      opened: openCode(database, codeInput, allowance.isWithin),
    })
    attempts.admit("code email", counted)
    attempts.admit("code network", counted)
    // Only a known browser learns that the address's email limit is used up.
    attempts.admit(
      "all emails",
      counted.filter(({ key }) => key.includes(":known:")),
    )
    await askingBrowser.write(context, keys, { nonce })
    const [stored] = opened
    if (stored?.owner) {
      const accepted = headers.get("accept-language")
      const to = { email, language: stored.language, accepted }
      const occasion = { at: new Date(), agent: headers.get("user-agent") }
      emails?.sendCode(to, { code, is: "signInCode" }, occasion)
    }
    return context.json({ sent: true })
  })

  const signInCode = post(codePaths.signIn, [], async (context) => {
    const { code, rememberMe } = context.body
    const asking = await askingBrowser.read(context, keys)
    if (asking === undefined) throw createApiError("INVALID_CODE")
    const { nonce } = asking
    const codeInput = { keys, kind, from: [nonce], code } as const
    const { tried, found } = await sendNamed(database, {
      // Counted before the lookup, so that each of several concurrent attempts counts.
      tried: attempts.count("sign-in code", nonce),
      found: database
        .select({
          id: user.id,
          email: user.email,
          factorSince: user.secondFactorSince,
          suspension,
        })
        .from(verification)
        .innerJoin(user, eq(user.id, verification.value))
        .where(isCode(codeInput)),
    })
    attempts.admit("sign-in code", tried, "TOO_MANY_ATTEMPTS")
    const [owner] = found
    if (owner === undefined) throw createApiError("INVALID_CODE")
    if (owner.suspension !== null) throw createSuspensionError(owner.suspension)
    const userId = owner.id
    const isRight = isCodeOf({ ...codeInput, userId })
    const opening = {
      database,
      userId,
      forgets: rememberMe === false,
      when: sql`exists (select 1 from ${verification} where ${isRight})`,
    }
    const step =
      owner.factorSince === null
        ? undefined
        : await askForFactor(
            context,
            { ...opening, email: owner.email, way: "code" },
            configuration,
          )
    const { row, when, statements } = await openSession(context, { ...opening, ...step?.opening })
    const isOpened = sql`exists (select 1 from ${session} where ${eq(session.id, row.id)})`
    const { entered, ...results } = await sendChange(database, {
      change: {
        ...statements,
        ...step?.statements,
      },
      after: {
        entry: auditOwn({
          database,
          action: "sign_in",
          userId,
          detail: "code",
          when,
          headers: context.headers,
        }),
        // The second of two concurrent requests finds the code used.
        spent: database.delete(verification).where(isRight),
        // Removes what others set under this address. In a shared browser, another person may have signed up.
        ...prove(database, {
          userId,
          when: isOpened,
          keeps: sql`false`,
          keepsSession: row.id,
          profile: { name: localPart, image: null },
        }),
        entered: database
          .select(sessionUserColumns)
          .from(session)
          .innerJoin(user, eq(user.id, session.userId))
          .where(eq(session.id, row.id)),
      },
    })
    const [member] = entered
    if (member === undefined) {
      const ways = await step?.finish?.(results)
      throw ways
        ? createApiError("SECOND_FACTOR_REQUIRED", undefined, { ways })
        : createApiError("INVALID_CODE")
    }
    return context.json(await enterAccount(context, dependencies, { row, owner: member }))
  })

  return { sendCode, signInCode }
}

import { eq, sql } from "drizzle-orm"

import { withPlanOf } from "../../../plan/plan.ts"
import { auditOwn } from "../../admin/audit.ts"
import { sendNamed } from "../../database/database.ts"
import { createApiError } from "../../http/failure.ts"
import { networkSubject } from "../attempts.ts"
import { session, user, verification } from "../auth.table.ts"
import { sessionUserColumns } from "../caller.ts"
import { giveSession } from "../cookie/session-binding.ts"
import { emailAllowance, ownerOrNobody } from "../email-allowance.ts"
import { type Dependencies, post } from "../endpoint.ts"
import { askForFactor } from "../factor/sign-in-step.ts"
import { localPart, prove } from "../proof.ts"
import { openSession } from "../session-opening.ts"
import { createSuspensionError, suspension } from "../suspension.ts"
import {
  askingBrowser,
  createCode,
  createNonce,
  isCode,
  isCodeOf,
  openCode,
} from "./emailed-code.ts"

const kind = "emailed_code" as const

/**
 * Signs in whoever types the code of a letter in the browser that asked for it. It opens no account that
 * there is not. To ask and to be refused is the same for every address, in what is answered and written.
 */
export function codeSignIn(dependencies: Dependencies) {
  const { configuration, database, attempts, emails, marks } = dependencies
  const { keys } = configuration

  const sendCode = post("/sign-in/code/begin", [], async (context) => {
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
      // What strangers ask for here keeps no browser out that its owner has used.
      networks: networkSubject(headers),
    })
    const asked = { keys, kind, from: [nonce], code, userId: ownerOrNobody(email) }
    const { counted, opened } = await sendNamed(database, {
      counted: allowance.counts,
      opened: openCode(database, asked, allowance.isWithin),
    })
    attempts.admit("code email", counted)
    attempts.admit("code network", counted)
    // Only a browser of the owner is told about what others have asked for.
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

  const signInCode = post("/sign-in/code", [], async (context) => {
    const { code, rememberMe } = context.body
    const asking = await askingBrowser.read(context, keys)
    if (asking === undefined) throw createApiError("INVALID_CODE")
    const { nonce } = asking
    const asked = { keys, kind, from: [nonce], code } as const
    const { tried, found } = await sendNamed(database, {
      // Before it is looked at: those that come at once count each.
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
        .where(isCode(asked)),
    })
    attempts.admit("sign-in code", tried, "TOO_MANY_ATTEMPTS")
    const [owner] = found
    if (owner === undefined) throw createApiError("INVALID_CODE")
    if (owner.suspension !== null) throw createSuspensionError(owner.suspension)
    const userId = owner.id
    const isRight = isCodeOf({ ...asked, userId })
    const forgets = rememberMe === false
    const opening = {
      database,
      userId,
      forgets,
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
    const { entered, ...results } = await sendNamed(database, {
      ...statements,
      ...step?.statements,
      entry: auditOwn({ database, action: "sign_in", userId, detail: "code", when }),
      // Of two requests at once, the other one finds it spent.
      spent: database.delete(verification).where(isRight),
      // What others have set up under the address goes: who signed up in a shared browser may be another, too.
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
    })
    const [member] = entered
    if (member === undefined) {
      const ways = await step?.finish?.(results)
      throw ways
        ? createApiError("SECOND_FACTOR_REQUIRED", undefined, { ways })
        : createApiError("INVALID_CODE")
    }
    await giveSession(
      context,
      configuration,
      { session: { ...row, userId }, user: member },
      forgets,
    )
    await marks.knownBrowser.set(context, member.email)
    return context.json({ token: row.token, user: withPlanOf(member) })
  })

  return { sendCode, signInCode }
}

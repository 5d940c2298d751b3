import { createHash, randomUUID } from "node:crypto"

import { and, eq, gt, type SQL, sql } from "drizzle-orm"
import * as z from "zod"

import type { Configuration } from "../../platform/configuration/configuration.ts"
import { kinds } from "../../platform/configuration/keys.ts"
import { type EndpointContext, sealedCookie } from "../../platform/cookie/host-cookie.ts"
import { session, verification } from "../../platform/database/auth.table.ts"
import type { Database } from "../../platform/database/database.ts"
import { proofsOf } from "../../session/assurance/assurance.ts"
import {
  type Authenticators,
  selectAuthenticators,
} from "../../session/assurance/authenticators.ts"
import type { Dependencies } from "../../session/endpoint.ts"
import { openVerification } from "../../session/verification-opening.ts"
import { joinIdentity, ownerOf } from "../provider/identity.ts"
import { trustOf } from "./trusted-browser.ts"

const Step = z.object({
  id: z.string(),
  userId: z.string(),
  email: z.string(),
  /** First method of the sign-in, as named in the audit log. */
  way: z.string(),
  forgets: z.boolean(),
  /** URL that the front end gets after the sign-in. */
  page: z.string().optional(),
  /** The identity to link to the account, in the same batch that opens the session. */
  joins: z.object({ providerId: z.string(), issuer: z.string(), subject: z.string() }).optional(),
})

type Step = z.infer<typeof Step>

/** The sign-in step of this browser. Its row of `verification` says whether it was used. */
export const signInStep = sealedCookie("sign_in_step", Step)

type FactorRequest = Omit<Step, "id"> & {
  database: Database
  when: SQL
}

/**
 * Requires the account's second factor. For a trusted browser, returns the options that open its session; otherwise
 * the statements that create a sign-in step, for the batch that opens no session. A step is a row of `verification`,
 * deleted when access to the account is revoked, and a cookie, so that only this browser can continue.
 */
export async function askForFactor(
  context: EndpointContext,
  { when, database, ...rest }: FactorRequest,
  configuration: Configuration,
) {
  const { keys } = configuration
  // Trust replaces a code; it does not allow another identity to join.
  const trusted = rest.joins ? undefined : await trustOf(context, keys, rest.userId)
  if (trusted !== undefined) {
    const [answer] = await database.all<{ found: number }>(sql`select ${trusted} as found`)
    if (answer?.found === 1) {
      return { opening: { factor: "trusted" as const, when: sql`${when} and ${trusted}` } }
    }
  }
  const id = randomUUID()
  const lifetime = kinds.sign_in_step * 1000
  const row = { identifier: identifierOf(id), userId: rest.userId, lifetime }
  return {
    statements: {
      step: openVerification(database, row, when),
      proofs: selectAuthenticators(database, rest.userId),
    },
    /** Writes the step's cookie, and returns the methods that can finish it; undefined without a step. */
    finish: async ({ step: [stepRow] = [], proofs: [proofs] = [] }: Results) => {
      if (stepRow === undefined || proofs === undefined) return undefined
      await signInStep.write(context, keys, { ...rest, id })
      return proofsOf(configuration, proofs, true)
    },
  }
}

type Results = {
  step?: object[] | undefined
  proofs?: Authenticators[] | undefined
}

/** Condition on a row of `verification`: it belongs to the step, and has not expired. */
export function isOfStep({ id, userId }: Pick<Step, "id" | "userId">) {
  return and(
    eq(verification.identifier, identifierOf(id)),
    eq(verification.value, userId),
    gt(verification.expiresAt, new Date()),
  )
}

/** Returns statements that link the step's identity, if any, after the session opens and before the step is used. */
export function joinOf(
  dependencies: Pick<Dependencies, "database" | "letters">,
  step: Step | undefined,
  { headers, sessionId }: { headers: Headers | undefined; sessionId: string },
) {
  if (step?.joins === undefined) return undefined
  const { joins: identity, email, userId } = step
  const when = sql`exists (select 1 from ${session} where ${session.id} = ${sessionId}
      and ${session.userId} = ${userId})
    and exists (select 1 from ${verification} where ${isOfStep(step)})
    and ${userId} = ${ownerOf(email)}`
  return joinIdentity(dependencies, { email, identity, headers, when })
}

function identifierOf(id: string) {
  return createHash("sha256").update(`sign-in step:${id}`).digest("base64url")
}

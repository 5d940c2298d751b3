import { createHash, randomUUID } from "node:crypto"

import { and, eq, gt, type SQL, sql } from "drizzle-orm"
import * as z from "zod"

import type { Configuration } from "../../configuration/configuration.ts"
import { rowIf } from "../../database/conditional-row.ts"
import type { Database } from "../../database/database.ts"
import { createId } from "../../database/identifier.ts"
import { verification } from "../auth.table.ts"
import { type EndpointContext, withHostCookies } from "../cookie/host-cookie.ts"
import { type Keys, kinds } from "../keys.ts"
import { selectProofs, waysOf } from "../step-up.ts"
import { trustOf } from "./trusted-browser.ts"

const kind = "sign_in_step"

const Step = z.object({
  id: z.string(),
  userId: z.string(),
  email: z.string(),
  /** What the sign-in began with, as the audit log has it. */
  way: z.string(),
  forgets: z.boolean(),
  /** Where the browser goes in the end. */
  page: z.string().optional(),
})

export type Step = z.infer<typeof Step>

type Asked = Omit<Step, "id"> & {
  database: Database
  /** Condition of what was shown so far. */
  when: SQL
}

/**
 * Where an account asks for a second factor: what a browser that is trusted opens its session with, or else
 * statements of a step, for the batch in which no session is opened then. A step is a row of `verification` of
 * which the account is the value, so that whatever ends access ends it, and a cookie, so that no other browser
 * goes on with it.
 */
export async function askForFactor(
  context: EndpointContext,
  { when, database, ...asked }: Asked,
  configuration: Configuration,
) {
  const { keys } = configuration
  const trusted = await trustOf(context, keys, asked.userId)
  if (trusted !== undefined) {
    const [found] = await database.all<{ found: number }>(sql`select ${trusted} as found`)
    if (found?.found === 1) {
      return { opening: { factor: "trusted" as const, when: sql`${when} and ${trusted}` } }
    }
  }
  const id = randomUUID()
  const now = new Date()
  const row = {
    id: createId("verification"),
    identifier: identifierOf(id),
    value: asked.userId,
    expiresAt: new Date(now.getTime() + kinds[kind] * 1000),
    createdAt: now,
    updatedAt: now,
  }
  return {
    statements: {
      step: database
        .insert(verification)
        .select(rowIf(verification, row, when))
        .returning({ id: verification.id }),
      proofs: selectProofs(database, asked.userId),
    },
    /** Leaves the step with the browser, and returns what it may be finished by; undefined if there is none. */
    finish: async ({ step: [made] = [], proofs: [proofs] = [] }: Results) => {
      if (made === undefined || proofs === undefined) return undefined
      const { name, attributes } = cookieOf(context)
      const value = await keys.seal(kind, { ...asked, id })
      context.setCookie(name, value, { ...attributes, maxAge: kinds[kind] })
      return waysOf(configuration, proofs)
    },
  }
}

type Results = {
  step?: { id: string }[] | undefined
  proofs?: Awaited<ReturnType<typeof selectProofs>> | undefined
}

/** The browser's step, unless ten minutes have passed. What says whether it is spent is `isOpen`. */
export async function readStep(context: EndpointContext, keys: Keys) {
  const value = context.getCookie(cookieOf(context).name)
  const opened = value === null ? undefined : await keys.open(kind, value)
  if (opened?.isExpired !== false) return undefined
  return Step.safeParse(opened.claims).data
}

export function forgetStep(context: EndpointContext) {
  const { name, attributes } = cookieOf(context)
  context.setCookie(name, "", { ...attributes, maxAge: 0 })
}

/** Condition on a row of `verification`: it keeps the step open. */
export function isOfStep({ id, userId }: Pick<Step, "id" | "userId">) {
  return and(
    eq(verification.identifier, identifierOf(id)),
    eq(verification.value, userId),
    gt(verification.expiresAt, new Date()),
  )
}

function identifierOf(id: string) {
  return createHash("sha256").update(`sign-in step:${id}`).digest("base64url")
}

function cookieOf(context: EndpointContext) {
  return withHostCookies(context).context.createAuthCookie(kind)
}

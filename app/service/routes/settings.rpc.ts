import * as z from "zod"

import { passwordLength } from "../guard/new-password.ts"
import { type Plan, plans } from "../platform/database/auth.table.ts"
import { open, type RpcContext } from "../session/procedures.ts"

const Price = z.object({
  amount: z.int().describe("In the currency's smallest unit"),
  currency: z.string(),
})

/** Offers of the features: plan limits by metric, and prices. */
type Offers = {
  metrics: readonly string[]
  limits: Record<Plan, Record<string, number>>
  prices: ((services: RpcContext["services"]) => Record<string, z.infer<typeof Price>>)[]
}

export function settings({ metrics, limits, prices }: Offers) {
  const get = open
    .route({
      method: "GET",
      summary: "Get what this environment offers",
      description: "The same for everybody; it changes with a release alone.",
    })
    .output(
      z.object({
        signInProviders: z.array(z.string()).describe("For signInWithProvider and linkIdentity"),
        signUp: z.enum(["open", "closed", "invited"]),
        passwords: z.boolean().describe("Whether they open accounts"),
        emailCode: z.boolean().describe("Whether signInCode takes any"),
        passkeys: z.boolean().describe("Whether signInPasskey and passkeyAdd take any"),
        secondFactor: z.boolean().describe("Whether members can turn one on"),
        requireSecondFactor: z
          .enum(["none", "owners", "admins", "everybody"])
          .describe("Whose sessions do nothing before they have shown one; admins: and owners"),
        verifiesEmail: z.boolean().describe("Whether a sign-up waits for the link of an e-mail"),
        sendsEmail: z.boolean().describe("Whether a password can be reset"),
        issuesTokens: z.boolean().describe("Whether createToken gives any"),
        password: z.object({ minimum: z.int(), maximum: z.int() }).describe("In characters"),
        turnstile: z
          .object({ siteKey: z.string() })
          .optional()
          .describe("Where a browser must pass its widget before a sign-up or a letter"),
        plans: z
          .record(z.enum(plans), z.record(z.enum(metrics), z.int()))
          .describe("How many a member may create in a month"),
        prices: z.record(z.string(), Price).describe("Empty where no payments are taken"),
      }),
    )
    .handler(({ context }) => {
      const { configuration, tokens } = context.services
      const { identityProviders, verifyEmail, mail, keepMail, signUp, passwords } = configuration
      const { turnstile } = configuration
      return {
        signInProviders: identityProviders.map(({ id }) => id),
        signUp,
        passwords,
        emailCode: configuration.emailCode,
        passkeys: configuration.passkeys !== undefined,
        secondFactor: configuration.secondFactor,
        requireSecondFactor: configuration.requireSecondFactor,
        verifiesEmail: verifyEmail,
        sendsEmail: mail !== undefined || keepMail,
        issuesTokens: tokens !== undefined,
        password: passwordLength,
        turnstile: turnstile && { siteKey: turnstile.siteKey },
        plans: limits,
        prices: Object.assign({}, ...prices.map((of) => of(context.services))),
      }
    })

  return { settings: get }
}

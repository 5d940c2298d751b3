import * as z from "zod"

import { passwordLength } from "../guard/new-password.ts"
import { type Plan, plans } from "../platform/database/auth.table.ts"
import { open, type RpcContext } from "../session/procedures.ts"

const Price = z.object({
  amount: z.int(),
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
    .route({ method: "GET" })
    .output(
      z.object({
        signInProviders: z.array(z.string()),
        signUp: z.enum(["open", "closed", "invited"]),
        passwords: z.boolean(),
        emailCode: z.boolean(),
        passkeys: z.boolean(),
        secondFactor: z.boolean(),
        requireSecondFactor: z.enum(["none", "owners", "admins", "everybody"]),
        verifiesEmail: z.boolean(),
        sendsEmail: z.boolean(),
        issuesTokens: z.boolean(),
        password: z.object({ minimum: z.int(), maximum: z.int() }),
        turnstile: z.object({ siteKey: z.string() }).optional(),
        plans: z.record(z.enum(plans), z.record(z.enum(metrics), z.int())),
        prices: z.record(z.string(), Price),
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

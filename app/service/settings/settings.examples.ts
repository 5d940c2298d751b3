import { limits } from "../../plan/plan.ts"
import { passwordLength } from "../auth/bodies.ts"
import type { Examples } from "../openapi/examples.ts"

export const settingsExamples: Examples = {
  settings: {
    answer: {
      signInProviders: ["google"],
      signUp: "open",
      passwords: true,
      emailCode: true,
      passkeys: true,
      secondFactor: true,
      requireSecondFactor: "none",
      verifiesEmail: true,
      sendsEmail: true,
      issuesTokens: false,
      password: passwordLength,
      turnstile: { siteKey: "0x4AAAAAAAexample" },
      plans: limits,
      prices: { deepInsights: { amount: 499, currency: "eur" } },
    },
  },
}

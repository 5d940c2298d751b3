import { permanent, type Environment } from "./environment/environment.ts"
import { loopback } from "./environment/rules.ts"

/** Secret bindings that a stack can make for itself, and the names of the resources that hold them. */
export const madeSecrets = {
  AUTH_SECRET: "auth",
  MAIL_SECRET: "mail",
  PAYMENT_SECRET: "payment",
  PAYMENT_WEBHOOK_SECRET: "payment-webhook",
  SMOKE_KEY: "smoke",
} as const

type Binding = keyof typeof madeSecrets

/**
 * Those that an environment makes. Only its own releases know SMOKE_KEY. Permanent environments bring
 * the others, and so does whoever names a remote mail sender or payment provider; an end on this
 * machine takes what it is told.
 */
export function secretsToMake(environment: Environment): Binding[] {
  const wanted: Binding[] = [
    "SMOKE_KEY",
    ...(permanent(environment) ? [] : passingSecrets(environment)),
  ]
  return wanted.filter((name) => !(name in environment.secrets))
}

function passingSecrets({ mailUrl, paymentUrl }: Environment): Binding[] {
  return [
    "AUTH_SECRET",
    ...(mailUrl && loopback(mailUrl) ? (["MAIL_SECRET"] as const) : []),
    ...(paymentUrl && loopback(paymentUrl)
      ? (["PAYMENT_SECRET", "PAYMENT_WEBHOOK_SECRET"] as const)
      : []),
  ]
}

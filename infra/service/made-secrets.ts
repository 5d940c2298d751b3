import { permanent, type Environment } from "../environment/environment.ts"
import { loopback } from "../environment/rules.ts"

/** Secret bindings that a stack can make for itself, and the names of the resources that hold them. */
export const madeSecrets = {
  AUTH_SECRET: "auth",
  MAIL_SECRET: "mail",
  PAYMENT_SECRET: "payment",
  PAYMENT_WEBHOOK_SECRET: "payment-webhook",
} as const

type Binding = keyof typeof madeSecrets

/**
 * Those that an environment makes. Permanent ones bring their own, and so does whoever names a remote
 * mail sender or payment provider; an end on this machine takes what it is told.
 */
export function secretsToMake(environment: Environment): Binding[] {
  const { mailUrl, paymentUrl, secrets } = environment
  if (permanent(environment)) return []
  const wanted: Binding[] = [
    "AUTH_SECRET",
    ...(mailUrl && loopback(mailUrl) ? (["MAIL_SECRET"] as const) : []),
    ...(paymentUrl && loopback(paymentUrl)
      ? (["PAYMENT_SECRET", "PAYMENT_WEBHOOK_SECRET"] as const)
      : []),
  ]
  return wanted.filter((name) => !(name in secrets))
}

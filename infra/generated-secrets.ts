import type { BindingOf } from "../app/bindings.ts"
import { isLoopback } from "../base/loopback.ts"
import { permanent, type Environment } from "./environment/environment.ts"

/** What decides which secrets a stack generates. */
type Brought = Pick<Environment, "environment" | "secrets"> & {
  mailUrl?: string | undefined
  paymentUrl?: string | undefined
  identityProviders?: Environment["identityProviders"]
}

/** Secret bindings that a stack can generate: by name, the suffix of the resource that holds them. */
export const generatedSecrets = {
  AUTH_SECRET: "auth",
  MAIL_SECRET: "mail",
  PAYMENT_SECRET: "payment",
  PAYMENT_WEBHOOK_SECRET: "payment-webhook",
  SMOKE_KEY: "smoke",
  IDP_CLIENT_SECRET: "idp",
} as const satisfies Partial<Record<BindingOf<"secret_text">, string>>

export type GeneratedSecret = keyof typeof generatedSecrets

/**
 * The secrets that a stack generates because its file does not bring them. SMOKE_KEY serves the
 * stack's own releases alone, so every stack may generate it. Permanent environments bring all
 * others. Elsewhere a sandbox on this machine accepts any key, but a real service has its own.
 */
export function secretsToGenerate(environment: Brought): GeneratedSecret[] {
  const needed: GeneratedSecret[] = [
    "SMOKE_KEY",
    ...(permanent(environment) ? [] : temporarySecrets(environment)),
  ]
  return needed.filter((name) => !(name in environment.secrets))
}

function temporarySecrets({ mailUrl, paymentUrl, identityProviders }: Brought): GeneratedSecret[] {
  const idp = identityProviders?.["idp"]
  return [
    "AUTH_SECRET",
    ...(mailUrl && isLoopback(mailUrl) ? (["MAIL_SECRET"] as const) : []),
    ...(paymentUrl && isLoopback(paymentUrl)
      ? (["PAYMENT_SECRET", "PAYMENT_WEBHOOK_SECRET"] as const)
      : []),
    ...(idp && "issuer" in idp && isLoopback(idp.issuer) ? (["IDP_CLIENT_SECRET"] as const) : []),
  ]
}

import { createHash } from "node:crypto"

import { identityProviderBindings } from "../app/bindings.ts"
import { permanent, type Environment } from "./environment/environment.ts"

/**
 * Text bindings of an environment by name; a name without a value is left out.
 * Pure, so that the effective configuration of an environment can be shown without a deployment.
 */
export function plainValues(environment: Environment): Record<string, string> {
  const { apiOrigin, webOrigin, cookieDomain, trustedOrigins, mailUrl, paymentUrl } = environment
  const providers = Object.entries(environment.identityProviders)
  const values: Record<string, string | undefined> = {
    ENVIRONMENT: environment.environment,
    NODE_ENV: permanent(environment) ? "production" : "development",
    AUTH_URL: apiOrigin,
    WEB_URL: webOrigin,
    AUTH_COOKIE_DOMAIN: cookieDomain,
    AUTH_TRUSTED_ORIGIN: (trustedOrigins ?? [webOrigin, apiOrigin]).join(","),
    MAIL_URL: mailUrl,
    PAYMENT_URL: paymentUrl,
    VERIFY_EMAIL: String(verifiesEmail(environment)),
    IDENTITY_PROVIDERS: providers.length > 0 ? JSON.stringify(publicPart(environment)) : undefined,
    ...Object.fromEntries(
      providers.map(([id, { clientId }]) => [identityProviderBindings(id).clientId, clientId]),
    ),
  }
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** Whether sign-in needs a verified address: where nothing is said, in permanent environments. */
function verifiesEmail(environment: Environment): boolean {
  return environment.verifyEmail ?? permanent(environment)
}

/**
 * Rate-limit counters are shared account-wide by this number, so every Worker needs its own.
 * A positive 31-bit integer as text, from stack and binding name.
 */
export function rateLimitNamespace(script: string, binding: string): string {
  const digest = createHash("sha256").update(`${script}/${binding}`).digest()
  return String((digest.readUInt32BE(0) >>> 1) + 1)
}

function publicPart({ identityProviders }: Environment) {
  return Object.fromEntries(
    Object.entries(identityProviders).map(([id, { issuer, scopes }]) => [id, { issuer, scopes }]),
  )
}

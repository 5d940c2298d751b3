import * as z from "zod"

import { conceal } from "./secret.ts"

export const checkKeys = {
  BREACHED_PASSWORDS: z.literal("refuse").optional(),
  LOCAL_CHECKS: z.url({ protocol: /^https?$/ }).optional(),
  TURNSTILE_SITE_KEY: z.string().optional(),
  TURNSTILE_SECRET: z.string().transform(conceal).optional(),
}

type Values = z.infer<z.ZodObject<typeof checkKeys>>

/** What others are asked before the service does something; undefined where they are not. */
export function checksOf(values: Values, environment: string) {
  // Nowhere else may a variable say who learns of passwords and of those who sign up.
  const sandbox = environment === "local" ? values.LOCAL_CHECKS : undefined
  const { TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET: secret } = values
  const url = sandbox ?? "https://challenges.cloudflare.com"
  return {
    /** Origin of the list of leaked passwords. */
    leaks: values.BREACHED_PASSWORDS && (sandbox ?? "https://api.pwnedpasswords.com"),
    turnstile: siteKey === undefined || secret === undefined ? undefined : { siteKey, secret, url },
  }
}

export function checkProblems({ TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET: secret }: Values) {
  return siteKey !== undefined && secret === undefined
    ? ["TURNSTILE_SECRET: is missing, so no token of TURNSTILE_SITE_KEY can be checked"]
    : []
}

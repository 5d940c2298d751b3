import * as z from "zod"

import { conceal, leastSecret, type Secret } from "./secret.ts"

/** What the environment has for second factors. */
export type Factors = {
  /** What seals the secrets of members' apps, the newest first; none where nobody can have one. */
  factorSecrets: Secret[]
  /** Whether members may turn a second factor on. Who has one is asked for it all the same. */
  secondFactor: boolean
}

const FactorSecret = z
  .string()
  .min(leastSecret, `must have ${leastSecret} characters or more; make one: openssl rand -hex 32`)
  .transform(conceal)
  .optional()

export const factorKeys = {
  SECOND_FACTOR: z.stringbool({ truthy: ["on"], falsy: ["off"] }).default(true),
  FACTOR_SECRET: FactorSecret,
  FACTOR_SECRET_PREVIOUS: FactorSecret,
}

type Values = z.infer<z.ZodObject<typeof factorKeys>>

export function factorsOf(values: Values): Factors {
  const { FACTOR_SECRET: current, FACTOR_SECRET_PREVIOUS: previous, SECOND_FACTOR: isOn } = values
  return {
    factorSecrets: [current, previous].filter((one) => one !== undefined),
    secondFactor: isOn && current !== undefined,
  }
}

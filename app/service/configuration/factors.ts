import * as z from "zod"

import { conceal, leastSecret, orderSecrets, RotationTime } from "./secret.ts"

const FactorSecret = z
  .string()
  .min(leastSecret, `must have ${leastSecret} characters or more; make one: openssl rand -hex 32`)
  .transform(conceal)
  .optional()

export const factorKeys = {
  SECOND_FACTOR: z.stringbool({ truthy: ["on"], falsy: ["off"] }).default(true),
  REQUIRE_SECOND_FACTOR: z.enum(["none", "owners", "admins", "everybody"]).default("none"),
  FACTOR_SECRET: FactorSecret,
  FACTOR_SECRET_PREVIOUS: FactorSecret,
  FACTOR_SECRET_FROM: RotationTime,
}

type Values = z.infer<z.ZodObject<typeof factorKeys>>

/** What the environment has for second factors. */
export function factorsOf(values: Values) {
  const { FACTOR_SECRET: current, FACTOR_SECRET_PREVIOUS: previous, SECOND_FACTOR: isOn } = values
  const from = values.FACTOR_SECRET_FROM
  const ordered = current && orderSecrets({ current, previous, from }, Date.now())
  return {
    /** What seals the secrets of members' apps, and then what opens them too; none where nobody can have one. */
    factorSecrets: ordered?.secrets ?? [],
    /** Unix time (ms) at which another one begins to seal; undefined where the newest does. */
    factorSecretFrom: ordered?.rereadAt,
    /** Whether members may turn a second factor on. Who has one is asked for it all the same. */
    secondFactor: isOn && current !== undefined,
    /** Whose accounts must have one: a session that has shown none does nothing else there. */
    requireSecondFactor: values.REQUIRE_SECOND_FACTOR,
  }
}

/** Nobody may be held to what nobody can turn on. */
export function factorProblems(values: Values) {
  const { requireSecondFactor, secondFactor } = factorsOf(values)
  if (requireSecondFactor === "none" || secondFactor) return []
  return [
    "REQUIRE_SECOND_FACTOR: nobody can turn one on without FACTOR_SECRET and SECOND_FACTOR on",
  ]
}

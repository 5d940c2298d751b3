import * as z from "zod"

/** `accounts:secondFactor` of a stack file. */
const SecondFactor = z.enum(["on", "off"]).default("on").meta({
  description:
    "off: nobody turns on a second factor any more; who has one is still asked for it. on takes FACTOR_SECRET among the secrets",
})

/** `accounts:requireSecondFactor` of a stack file. */
const RequireSecondFactor = z.enum(["none", "owners", "admins", "everybody"]).default("none").meta({
  description:
    "Whose accounts must have a second factor: owners, admins (and owners) or everybody. Their sessions do nothing but turn one on before they have shown it. ./accounts account ways counts whom that holds",
})

/** `accounts:factorSecretFrom` of a stack file. */
const FactorSecretFrom = z.iso
  .datetime({ error: "must be a time in UTC such as 2026-11-22T12:00:00Z, in quotes" })
  .optional()
  .meta({
    description:
      "When FACTOR_SECRET begins to seal, in UTC; FACTOR_SECRET_PREVIOUS does until then. ./accounts secret rotate writes both",
  })

export const keys = {
  factorSecretFrom: FactorSecretFrom,
  secondFactor: SecondFactor,
  requireSecondFactor: RequireSecondFactor,
}

/** As the binding has it, whose default is on. */
export function unlessOn({ secondFactor }: { secondFactor: z.infer<typeof SecondFactor> }) {
  return secondFactor === "on" ? undefined : secondFactor
}

export function unlessNone({ requireSecondFactor: whose }: Required) {
  return whose === "none" ? undefined : whose
}

type Required = { requireSecondFactor?: z.infer<typeof RequireSecondFactor> | undefined }

type Environment = Required & {
  environment?: string | undefined
  secondFactor?: z.infer<typeof SecondFactor> | undefined
  secrets?: object | undefined
  mailUrl?: string | undefined
  keepMail?: boolean | undefined
}

type Subject = { environment: Environment; values: object }

/** Nobody could turn on what is required. */
function notOffered(stack: Environment) {
  const { environment, secondFactor, secrets } = stack
  if (unlessNone(stack) === undefined) return []
  if (secondFactor === "off") {
    return [{ path: ["accounts:secondFactor"], reason: "is off, and nobody could turn one on" }]
  }
  // Elsewhere the stack makes it.
  const isMade = environment !== "staging" && environment !== "production"
  return isMade || secrets === undefined || "FACTOR_SECRET" in secrets
    ? []
    : [{ path: ["accounts:secrets"], reason: "lacks FACTOR_SECRET, and nobody could turn one on" }]
}

/** Only a proven account turns one on, and it takes a letter to prove one. */
function unproven(stack: Environment, values: object) {
  const sends = stack.mailUrl || stack.keepMail || "accounts:mailUrl" in values
  return unlessNone(stack) === undefined || sends
    ? []
    : [{ path: ["accounts:mailUrl"], reason: "is missing, so whoever has an account proves none" }]
}

/** A rule of stack files, so that nobody locks everybody out. */
export const usableFactor = {
  id: "A13",
  message: "Whoever must have a second factor can turn one on",
  fix: "openssl rand -hex 32 | pulumi config set --secret --path accounts:secrets.FACTOR_SECRET, or remove accounts:requireSecondFactor",
  check: ({ environment, values }: Subject) => [
    ...notOffered(environment),
    ...unproven(environment, values),
  ],
}

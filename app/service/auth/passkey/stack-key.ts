import * as z from "zod"

import { mayUse } from "./relying-party.ts"

/** What a stack file says of passkeys. */
export const Passkeys = z
  .union([
    z.literal("off"),
    z.strictObject({ rpId: z.hostname(), insteadOf: z.hostname().optional() }),
  ])
  .optional()
  .meta({
    description:
      "rpId: the domain below which passkeys work. Another one makes all of them useless, and is deployed only with insteadOf: the one before. Default: cookieDomain, else the host of apiOrigin",
  })

type Environment = {
  passkeys?: z.infer<typeof Passkeys>
  cookieDomain?: string | undefined
  webOrigin?: string | undefined
  apiOrigin?: string | undefined
  trustedOrigins?: string[] | undefined
}

/** Nobody could use a passkey of a domain that no trusted origin lies below. */
function unusable(environment: Environment) {
  const { passkeys } = environment
  if (passkeys === undefined || passkeys === "off") return []
  const origins = originsOf(environment)
  if (origins.some((origin) => mayUse(origin, passkeys.rpId))) return []
  return [{ path: ["accounts:passkeys", "rpId"], reason: `has none of ${origins.join(", ")}` }]
}

/** A rule of stack files. */
export const usablePasskeys = {
  id: "A12",
  message: "Passkeys work on a trusted origin, which lies below their domain",
  fix: "set rpId to a domain that trusted origins lie below, or accounts:passkeys to off",
  check: ({ environment }: { environment: Environment }) => unusable(environment),
}

function originsOf({ webOrigin, apiOrigin, trustedOrigins }: Environment) {
  return trustedOrigins ?? [webOrigin, apiOrigin].flatMap((one) => one || [])
}

/**
 * What the Worker is told: the domain that was declared, else what the session's cookie is shared below, else
 * the API's host; off where no trusted origin lies below that.
 */
export function relyingPartyId(environment: Environment & { apiOrigin: string }) {
  const { passkeys, cookieDomain, apiOrigin } = environment
  if (passkeys === "off") return "off"
  if (passkeys !== undefined) return passkeys.rpId
  const rpId = cookieDomain ?? new URL(apiOrigin).hostname
  return originsOf(environment).some((origin) => mayUse(origin, rpId)) ? rpId : "off"
}

/** Another domain makes all passkeys useless, so the stack file says of which one it means to. */
export const passkeysLost = {
  loses: "every passkey stops working: they belong to",
  fix: "To keep them, set accounts:passkeys: {rpId} to that domain; else add insteadOf with it, or set accounts:passkeys to off",
  nothing: "off",
  givenUp: ({ passkeys }: Pick<Environment, "passkeys">) =>
    passkeys === "off" ? "any" : passkeys?.insteadOf,
}

import * as z from "zod"

import { mayUse } from "./relying-party.ts"

/** What a stack file says of passkeys. */
export const Passkeys = z.union([z.literal("off"), z.strictObject({ rpId: z.hostname() })])

type Environment = {
  passkeys?: z.infer<typeof Passkeys> | undefined
  webOrigin?: string | undefined
  apiOrigin?: string | undefined
  trustedOrigins?: string[] | undefined
}

/** Nobody could use a passkey of a domain that no trusted origin lies below. */
export function unusablePasskeys({ passkeys, webOrigin, apiOrigin, trustedOrigins }: Environment) {
  if (passkeys === undefined || passkeys === "off") return []
  const origins = (trustedOrigins ?? [webOrigin, apiOrigin]).flatMap((one) => one || [])
  if (origins.some((origin) => mayUse(origin, passkeys.rpId))) return []
  return [{ path: ["accounts:passkeys", "rpId"], reason: `has none of ${origins.join(", ")}` }]
}

import type { Context } from "hono"
import * as z from "zod"

import { session } from "../../platform/database/auth.table.ts"
import { preparedOnce } from "../../platform/database/database.ts"
import { fail } from "../../platform/http/failure.ts"
import type { HonoEnv } from "../../platform/http/routing.ts"
import { isCurrent } from "../caller.ts"
import { reader } from "../procedures.ts"

const endOfSession = preparedOnce((database) =>
  database
    .select({ callerId: session.userId, until: session.expiresAt })
    .from(session)
    .where(isCurrent)
    .prepare(),
)

const createToken = reader
  .errors({ NOT_FOUND: { status: 404, message: "No tokens for this audience" } })
  .input(z.strictObject({ audience: z.string().max(200) }))
  .output(z.object({ token: z.string(), expiresAt: z.date() }))
  .handler(async ({ context, input: { audience }, errors }) => {
    const { tokens } = context.services
    if (tokens === undefined) throw errors.NOT_FOUND()
    // Always reads the primary, so that an ended session cannot create a token.
    const [{ callerId, until }] = await context.askOnce(endOfSession)
    if (!tokens.audiences.includes(audience)) throw errors.NOT_FOUND()
    return tokens.sign({ member: callerId, audience, until })
  })

export const tokens = { createToken }

export const tokenKeysPath = "/api/v1/jwks.json"

/** Returns the keys that verify tokens. Rotations overlap for an hour or more, so caches get a key before its use. */
export function answerTokenKeys(context: Context<HonoEnv>) {
  const { tokens: issued } = context.get("services")
  context.set("route", tokenKeysPath)
  if (issued === undefined) return fail(context, "NOT_FOUND")
  return context.json(issued.keySet, 200, { "cache-control": "public, max-age=300" })
}

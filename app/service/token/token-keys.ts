import type { Context } from "hono"

import { fail } from "../http/failure.ts"
import type { HonoEnv } from "../http/hono-env.ts"

export const tokenKeysPath = "/api/v1/jwks.json"

/** The keys that verify tokens. The shortest overlap of a rotation is an hour, so caches know a key before it signs. */
export function answerTokenKeys(context: Context<HonoEnv>) {
  const { tokens } = context.get("services")
  context.set("route", tokenKeysPath)
  if (tokens === undefined) return fail(context, "NOT_FOUND")
  return context.json(tokens.keySet, 200, { "cache-control": "public, max-age=300" })
}

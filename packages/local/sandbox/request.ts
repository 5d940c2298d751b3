import type { MiddlewareHandler } from "hono"
import { HTTPException } from "hono/http-exception"
import type * as z from "zod"

import { describeIssues } from "../daemon/issues.ts"
import { bearerToken, equalSecrets } from "../daemon/token.ts"

/** @throws HTTPException 400, which names every field that is wrong */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new HTTPException(400, { message: describeIssues(parsed.error) })
}

/** Lets only programs in that can read the token in the sandbox's state folder. */
export function requireToken(token: string): MiddlewareHandler {
  return async (c, next) => {
    const sent = bearerToken(c.req.header("authorization"))
    if (sent === undefined) throw new HTTPException(400, { message: "The bearer token is missing" })
    if (!equalSecrets(sent, token)) {
      throw new HTTPException(403, { message: "The bearer token is not the one of this sandbox" })
    }
    await next()
  }
}

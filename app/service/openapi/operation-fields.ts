import * as z from "zod"

import { plans } from "../../plan/plan.ts"
import { factors } from "../auth/factor/factor.ts"
import { roles } from "../auth/role.ts"
import type { DeclaredError } from "./error-responses.ts"

/** An operation of the authentication library, which does not describe its own. */
export type AuthOperation = {
  path: string
  /** Defaults to the path in camel case. */
  id?: string
  summary: string
  description?: string
  query?: z.ZodObject
  /** Body of a 200; an operation without it redirects. */
  output?: z.ZodType
  /** What a success does to cookies, if anything. */
  cookie?: string
  /** Other headers of a success. */
  headers?: object
  signedIn?: true
  /** Beside those of every operation with a body, a session or the method. */
  errors?: DeclaredError[]
}

export const timestamp = z.iso.datetime()

export const User = z.object({
  id: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  name: z.string(),
  image: z.string().nullish(),
  role: z.enum(roles),
  plan: z.enum(plans),
  planUntil: timestamp.nullish(),
  createdAt: timestamp,
  updatedAt: timestamp,
})

export const Session = z.object({
  id: z.string(),
  userId: z.string(),
  token: z.string().describe("Identifies the session when revoking it; not valid as a cookie"),
  ipAddress: z.string().nullish(),
  userAgent: z.string().nullish(),
  expiresAt: timestamp,
  remembered: z.boolean().describe("false: it ends with the browser"),
  factor: z
    .enum(factors)
    .nullish()
    .describe(
      "The second factor that it was shown; trusted: a browser that has shown one before. Null where the account has none",
    ),
  provenAt: timestamp
    .nullish()
    .describe("When all that the account has was last shown; null: not in this session"),
  name: z.string().nullish().describe("What its owner calls the device"),
  createdAt: timestamp,
  updatedAt: timestamp,
})

export const LinkedAccount = z.object({
  id: z.string(),
  userId: z.string(),
  providerId: z.string(),
  accountId: z.string().describe("The user's id at the provider"),
  scopes: z.array(z.string()),
  createdAt: timestamp,
  updatedAt: timestamp,
})

export const Status = z.object({ status: z.boolean() })

export const trustedUrl = z.string().describe("A URL on a trusted origin")

/* Errors of the library alone. */
export const unauthorized = { code: "UNAUTHORIZED", status: 401, message: "Unauthorized" }

export function schemaOf(schema: z.core.$ZodType) {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io: "input" })
  return converted
}

export function jsonContent(schema: z.ZodType, example?: object) {
  return {
    "application/json": { schema: schemaOf(schema), ...(example && { example }) },
  }
}

import * as z from "zod"

import { factors } from "../auth/auth.table.ts"
import type { FailureCode } from "../http/failure.ts"

export type DeclaredError = { code: string; status: number; message: string }

/** An operation that is no typed procedure. infra/openapi/ describes it. */
export type Operation = {
  /** Below the prefix of its kind. */
  path: string
  /** Defaults to the path in camel case. */
  id?: string
  /** Default: auth. */
  tag?: string
  summary: string
  description?: string
  query?: z.ZodObject
  /** Headers of the request. */
  requestHeaders?: string[]
  /** Unless `bodies` has it. */
  body?: z.ZodType
  /** Body of a 200; an operation without it redirects. */
  output?: z.ZodType
  /** What a success does to cookies, if anything. */
  cookie?: string
  signedIn?: true
  /** Beside those of every operation with a body, a session or the method. */
  errors?: (FailureCode | DeclaredError)[]
}

export const Session = z.object({
  id: z.string(),
  userId: z.string(),
  token: z.string().describe("Identifies the session when revoking it; not valid as a cookie"),
  ipAddress: z.string().nullish(),
  userAgent: z.string().nullish(),
  expiresAt: z.date(),
  remembered: z.boolean().describe("false: it ends with the browser"),
  factor: z
    .enum(factors)
    .nullish()
    .describe(
      "The second factor that it was shown; trusted: a browser that has shown one before. Null where the account has none",
    ),
  provenAt: z
    .date()
    .nullish()
    .describe("When all that the account has was last shown; null: not in this session"),
  name: z.string().nullish().describe("What its owner calls the device"),
  createdAt: z.date(),
  updatedAt: z.date(),
})

export const LinkedAccount = z.object({
  id: z.string(),
  userId: z.string(),
  providerId: z.string(),
  accountId: z.string().describe("The user's id at the provider"),
  scopes: z.array(z.string()),
  createdAt: z.date(),
  updatedAt: z.date(),
})

export const Status = z.object({ status: z.boolean() })

export const trustedUrl = z.string().describe("A URL on a trusted origin")

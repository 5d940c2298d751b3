import * as z from "zod"

import { roles } from "../auth/role.ts"
import { plans } from "../plan/plan.ts"
import { type DeclaredError, failuresOf } from "./error-responses.ts"

/** An operation of the authentication library, which does not describe its own. */
export type AuthOperation = {
  path: string
  /** Defaults to the path in camel case. */
  id?: string
  method: "GET" | "POST"
  summary: string
  description?: string
  body?: z.ZodType
  query?: z.ZodObject
  /** Body of a 200; an operation without it redirects. */
  output?: z.ZodType
  /** What a success does to cookies, if anything. */
  cookie?: string
  signedIn?: true
  errors: DeclaredError[]
}

const timestamp = z.iso.datetime()

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

export const email = z.email().max(254)
export const newPassword = z.string().min(8).max(128)
export const trustedUrl = z.string().describe("A URL on a trusted origin")
/** A letter leads nowhere else: whoever asks for one need not own the address. */
export const pageOfLetter = z.string().max(500).describe("A URL of the front end")

export function badRequest(code: string, message: string): DeclaredError {
  return { code, status: 400, message }
}

export const invalidFields = badRequest("VALIDATION_ERROR", "A field is missing or invalid")
export const invalidPassword = badRequest("INVALID_PASSWORD", "Invalid password")
export const invalidPasswordLength = [
  badRequest("PASSWORD_TOO_SHORT", "Password too short"),
  badRequest("PASSWORD_TOO_LONG", "Password too long"),
]
export const noPassword = badRequest("CREDENTIAL_ACCOUNT_NOT_FOUND", "Credential account not found")
export const unauthorized = { code: "UNAUTHORIZED", status: 401, message: "Unauthorized" }
/** Every operation checks the pages that it may lead to, whether it takes one or not. */
export const untrustedPages = failuresOf("INVALID_CALLBACK_URL", "INVALID_REDIRECT_URL")
export const rateLimited = failuresOf("TOO_MANY_REQUESTS")

/** Where a password can be guessed at. */
export const lockable = failuresOf("TOO_MANY_ATTEMPTS", "TOO_MANY_REQUESTS")

export const providerNotFound = {
  code: "PROVIDER_NOT_FOUND",
  status: 404,
  message: "Provider not found",
}

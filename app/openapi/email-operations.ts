import * as z from "zod"

import type { AuthOperation } from "./auth-operations.ts"
import { edge } from "./error-responses.ts"

const email = z.email().max(254)
const target = z.string().describe("An URL on a trusted origin")
const validation = {
  code: "VALIDATION_ERROR",
  status: 400,
  message: "A field is missing or is not what it should be",
}
const invalidToken = { code: "INVALID_TOKEN", status: 400, message: "Invalid token" }
const foreign = { code: "INVALID_CALLBACK_URL", status: 403, message: "Invalid callbackURL" }
const limited = edge("TOO_MANY_REQUESTS")

/** What is begun or ended by a link in a mail. */
export const letterOperations: AuthOperation[] = [
  {
    path: "/send-verification-email",
    method: "POST",
    summary: "Send the link that verifies an address again",
    body: z.object({ email, callbackURL: target.optional() }),
    output: z.object({ status: z.boolean() }),
    errors: [
      validation,
      { code: "EMAIL_ALREADY_VERIFIED", status: 400, message: "Email is already verified" },
      {
        code: "VERIFICATION_EMAIL_NOT_ENABLED",
        status: 400,
        message: "Verification email isn't enabled",
      },
      foreign,
      ...limited,
    ],
  },
  {
    path: "/verify-email",
    method: "GET",
    summary: "Where that link leads",
    description: "Redirects to callbackURL, with ?error= if the link is not good. Signs nobody in.",
    query: z.object({ token: z.string(), callbackURL: target }),
    errors: [
      validation,
      { code: "INVALID_TOKEN", status: 401, message: "Invalid token" },
      { code: "TOKEN_EXPIRED", status: 401, message: "Token expired" },
      foreign,
    ],
  },
  {
    path: "/request-password-reset",
    method: "POST",
    summary: "Send a link to choose a new password",
    description: "Answers an unknown address like a known one.",
    body: z.object({ email, redirectTo: target.optional() }),
    output: z.object({ status: z.boolean(), message: z.string() }),
    errors: [
      validation,
      { code: "RESET_PASSWORD_DISABLED", status: 400, message: "Reset password isn't enabled" },
      { code: "INVALID_REDIRECT_URL", status: 403, message: "Invalid redirectURL" },
      ...limited,
    ],
  },
  {
    path: "/reset-password/{token}",
    id: "openPasswordReset",
    method: "GET",
    summary: "Where that link leads, if a page was asked for",
    query: z.object({ callbackURL: target }),
    errors: [validation, foreign],
  },
  {
    path: "/reset-password",
    method: "POST",
    summary: "Choose a new password",
    description: "The token works once; every session of the account ends.",
    body: z.object({ newPassword: z.string().min(8).max(128), token: z.string() }),
    output: z.object({ status: z.boolean() }),
    errors: [
      validation,
      invalidToken,
      { code: "PASSWORD_TOO_SHORT", status: 400, message: "Password too short" },
      { code: "PASSWORD_TOO_LONG", status: 400, message: "Password too long" },
      ...limited,
    ],
  },
]

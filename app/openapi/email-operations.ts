import * as z from "zod"

import {
  type AuthOperation,
  badRequest,
  email,
  invalidFields,
  invalidPasswordLength,
  newPassword,
  rateLimited,
  Status,
  trustedUrl,
} from "./operation-fields.ts"

const invalidToken = badRequest("INVALID_TOKEN", "Invalid token")

/** Operations that send an e-mail, or that its link leads to. */
export const emailOperations: AuthOperation[] = [
  {
    path: "/send-verification-email",
    method: "POST",
    summary: "Send the verification e-mail again",
    description:
      "The response does not reveal whether the address has an account. An address gets three e-mails an hour.",
    body: z.object({ email, callbackURL: trustedUrl.optional() }),
    output: Status,
    errors: [
      invalidFields,
      badRequest("VERIFICATION_EMAIL_NOT_ENABLED", "Verification email isn't enabled"),
      ...rateLimited,
    ],
  },
  {
    path: "/verify-email",
    method: "GET",
    summary: "Verify an e-mail address",
    description:
      "The link in a verification e-mail. Redirects to callbackURL, with ?error= if the link is invalid. Does not sign in. Only the link of the latest sign-up is valid, and in a browser that signed up with the address, only that of its own: otherwise ?error=ANOTHER_SIGN_UP.",
    query: z.object({ token: z.string(), callbackURL: trustedUrl }),
    errors: [
      invalidFields,
      { ...invalidToken, status: 401 },
      { code: "TOKEN_EXPIRED", status: 401, message: "Token expired" },
      {
        code: "ANOTHER_SIGN_UP",
        status: 401,
        message: "The link is for another sign-up than this browser's: sign up again",
      },
    ],
  },
  {
    path: "/request-password-reset",
    method: "POST",
    summary: "Send a password reset e-mail",
    description:
      "The response does not reveal whether the address has an account. An address gets three e-mails an hour.",
    body: z.object({ email, redirectTo: trustedUrl.optional() }),
    output: Status.extend({ message: z.string() }),
    errors: [
      invalidFields,
      badRequest("RESET_PASSWORD_DISABLED", "Reset password isn't enabled"),
      ...rateLimited,
    ],
  },
  {
    path: "/reset-password/{token}",
    id: "openPasswordReset",
    method: "GET",
    summary: "Open the page for choosing a new password",
    description:
      "The link in a password reset e-mail that was requested with redirectTo: redirects there with ?token=, or with ?error= if the link is invalid.",
    query: z.object({ callbackURL: trustedUrl }),
    errors: [invalidFields],
  },
  {
    path: "/reset-password",
    method: "POST",
    summary: "Set a new password",
    description:
      "The token works once, and only the latest one. Verifies the address, and revokes all sessions of the account.",
    body: z.object({ newPassword, token: z.string() }),
    output: Status,
    cookie: "A mark of the browser for the address",
    errors: [invalidFields, invalidToken, ...invalidPasswordLength, ...rateLimited],
  },
]

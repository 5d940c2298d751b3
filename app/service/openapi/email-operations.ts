import * as z from "zod"

import { failuresOf } from "./error-responses.ts"
import { type AuthOperation, Status, trustedUrl } from "./operation-fields.ts"

const refusedLink = [
  { code: "INVALID_TOKEN", status: 401, message: "Invalid token" },
  { code: "TOKEN_EXPIRED", status: 401, message: "Token expired" },
]

/** Operations that send an e-mail, or that its link leads to. */
export const emailOperations: AuthOperation[] = [
  {
    path: "/send-verification-email",
    summary: "Send the verification e-mail again",
    description:
      "The response does not reveal whether the address has an account. An address gets three e-mails an hour.",
    output: Status,
    errors: failuresOf("VERIFICATION_EMAIL_NOT_ENABLED", "PASSWORD_OFF"),
  },
  {
    path: "/verify-email",
    summary: "Verify an e-mail address",
    description:
      "The link in a verification e-mail, which is valid for a day. Redirects to the page that the sign-up named, or else to callbackURL, with ?error= if nothing was verified. Does not sign in. Anybody can sign up with somebody else's address, so in another browser than the one that signed up the link alone verifies nothing: ?error=PASSWORD_REQUIRED&token= asks the page for verifyEmailWithPassword.",
    query: z.object({ token: z.string(), callbackURL: trustedUrl }),
    errors: [
      ...refusedLink,
      {
        code: "PASSWORD_REQUIRED",
        status: 401,
        message: "This browser did not sign up: send the token with a password",
      },
      ...failuresOf("PASSWORD_OFF"),
    ],
  },
  {
    path: "/verify-email-with-password",
    summary: "Verify an e-mail address in another browser than the one that signed up",
    description:
      "Takes the token that the link left on the page, and either the password chosen at sign-up or a new one, for those who did not sign up or do not remember it. A new one replaces whatever was set on the address before: password, name, image and sessions. Does not sign in.",
    output: Status.extend({ email: z.string() }),
    cookie: "A mark of the browser for the address",
    errors: [
      ...failuresOf("INVALID_PASSWORD"),
      ...refusedLink,
      ...failuresOf("TOO_MANY_ATTEMPTS", "PASSWORD_OFF"),
    ],
  },
  {
    path: "/request-password-reset",
    summary: "Send a password reset e-mail",
    description:
      "The response does not reveal whether the address has an account. An address gets three e-mails an hour, and a browser that has signed in with it three more.",
    output: Status.extend({ message: z.string() }),
    errors: failuresOf("RESET_PASSWORD_DISABLED", "PASSWORD_OFF"),
  },
  {
    path: "/reset-password/{token}",
    id: "openPasswordReset",
    summary: "Open the page for choosing a new password",
    description:
      "The link in a password reset e-mail that was requested with redirectTo: redirects there with ?token=, or with ?error= if the link is invalid.",
    query: z.object({
      callbackURL: trustedUrl.describe(
        "A URL on a trusted origin, or one that the e-mail has sealed",
      ),
    }),
    errors: failuresOf("PASSWORD_OFF"),
  },
  {
    path: "/reset-password",
    summary: "Set a new password",
    description:
      "The token works once, and no other one after it. Verifies the address, and revokes all sessions of the account.",
    output: Status,
    cookie: "A mark of the browser for the address",
    errors: failuresOf("INVALID_TOKEN", "PASSWORD_OFF"),
  },
]

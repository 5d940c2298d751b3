import * as z from "zod"

import { failuresOf } from "./error-responses.ts"
import {
  type AuthOperation,
  badRequest,
  invalidFields,
  invalidPassword,
  invalidPasswordLength,
  newPassword,
  noPassword,
  LinkedAccount,
  lockable,
  providerNotFound,
  rateLimited,
  Status,
  trustedUrl,
  unauthorized,
  User,
} from "./operation-fields.ts"

export const accountOperations: AuthOperation[] = [
  {
    path: "/change-password",
    method: "POST",
    summary: "Change your password",
    body: z.object({
      currentPassword: z.string(),
      newPassword,
      revokeOtherSessions: z.boolean().optional(),
    }),
    output: z.object({ token: z.string().nullable(), user: User }),
    cookie: "A new session, if the others are revoked",
    signedIn: true,
    errors: [
      invalidFields,
      invalidPassword,
      ...invalidPasswordLength,
      noPassword,
      unauthorized,
      ...lockable,
    ],
  },
  {
    path: "/list-accounts",
    method: "GET",
    summary: "List your ways to sign in",
    description: "The password is `credential`; the others are identity providers.",
    output: z.array(LinkedAccount),
    signedIn: true,
    errors: [unauthorized],
  },
  {
    path: "/link-social",
    id: "linkIdentity",
    method: "POST",
    summary: "Add an identity provider to your ways to sign in",
    description:
      "Only within a day of signing in. Navigate the browser to the URL of the answer; it ends at callbackURL, or at errorCallbackURL with ?error= and a code of returnFromProvider.",
    body: z.object({
      provider: z.string(),
      callbackURL: trustedUrl.optional(),
      errorCallbackURL: trustedUrl.optional(),
    }),
    output: z.object({ url: z.url(), redirect: z.boolean() }),
    cookie: "The sealed state of this sign-in",
    signedIn: true,
    errors: [
      invalidFields,
      providerNotFound,
      { code: "INVALID_ERROR_CALLBACK_URL", status: 403, message: "Invalid errorCallbackURL" },
      { code: "SESSION_NOT_FRESH", status: 403, message: "Session is not fresh" },
      unauthorized,
      ...rateLimited,
    ],
  },
  {
    path: "/unlink-account",
    method: "POST",
    summary: "Remove one of your ways to sign in",
    description:
      "Not the last one, and only within a day of signing in. Ends all other sessions. The provider opens the account again only once you have added it.",
    body: z.object({ providerId: z.string(), accountId: z.string().optional() }),
    output: Status,
    signedIn: true,
    errors: [
      invalidFields,
      badRequest("ACCOUNT_NOT_FOUND", "Account not found"),
      badRequest("FAILED_TO_UNLINK_LAST_ACCOUNT", "You can't unlink your last account"),
      { code: "SESSION_NOT_FRESH", status: 403, message: "Session is not fresh" },
      unauthorized,
      ...rateLimited,
    ],
  },
  {
    path: "/delete-user",
    method: "POST",
    summary: "Delete your account and all its data",
    description:
      "Requires the password or, for an account without one, a sign-in less than ten minutes ago.",
    body: z.object({ password: z.string().optional() }),
    output: z.object({ success: z.boolean(), message: z.string() }),
    cookie: "The end of the session",
    signedIn: true,
    errors: [
      invalidFields,
      invalidPassword,
      badRequest("SESSION_EXPIRED", "Session expired"),
      unauthorized,
      ...failuresOf("LAST_OWNER"),
      ...lockable,
    ],
  },
]

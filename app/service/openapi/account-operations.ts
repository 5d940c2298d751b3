import * as z from "zod"

import { failuresOf } from "./error-responses.ts"
import {
  type AuthOperation,
  LinkedAccount,
  newPassword,
  notFresh,
  Status,
  trustedUrl,
  User,
} from "./operation-fields.ts"

export const accountOperations: AuthOperation[] = [
  {
    path: "/change-password",
    summary: "Change your password",
    body: z.object({
      currentPassword: z.string(),
      newPassword,
      revokeOtherSessions: z.boolean().optional(),
    }),
    output: z.object({ token: z.string().nullable(), user: User }),
    cookie: "A new session, if the others are revoked",
    signedIn: true,
    errors: failuresOf(
      "INVALID_PASSWORD",
      "PASSWORD_TOO_SHORT",
      "PASSWORD_TOO_LONG",
      "CREDENTIAL_ACCOUNT_NOT_FOUND",
      "TOO_MANY_ATTEMPTS",
      "PASSWORD_OFF",
    ),
  },
  {
    path: "/list-accounts",
    method: "GET",
    summary: "List your ways to sign in",
    description: "The password is `credential`; the others are identity providers.",
    output: z.array(LinkedAccount),
    signedIn: true,
  },
  {
    path: "/link-social",
    id: "linkIdentity",
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
      ...failuresOf("PROVIDER_NOT_FOUND"),
      { code: "INVALID_ERROR_CALLBACK_URL", status: 403, message: "Invalid errorCallbackURL" },
      notFresh,
    ],
  },
  {
    path: "/unlink-account",
    summary: "Remove one of your ways to sign in",
    description:
      "Not the last one, and only within a day of signing in. Ends all other sessions. The provider opens the account again only once you have added it.",
    body: z.object({ providerId: z.string(), accountId: z.string().optional() }),
    output: Status,
    signedIn: true,
    errors: [...failuresOf("ACCOUNT_NOT_FOUND", "FAILED_TO_UNLINK_LAST_ACCOUNT"), notFresh],
  },
  {
    path: "/delete-user",
    summary: "Delete your account and all its data",
    description:
      "Requires the password or, for an account without one and where passwords are off, a sign-in less than ten minutes ago.",
    body: z.object({ password: z.string().optional() }),
    output: z.object({ success: z.boolean(), message: z.string() }),
    cookie: "The end of the session",
    signedIn: true,
    errors: failuresOf("INVALID_PASSWORD", "SESSION_EXPIRED", "LAST_OWNER", "TOO_MANY_ATTEMPTS"),
  },
]

import * as z from "zod"

import { bodies } from "../auth/bodies.ts"
import { failuresOf } from "./error-responses.ts"
import { type AuthOperation, LinkedAccount, notFresh, Status, User } from "./operation-fields.ts"

export const accountOperations: AuthOperation[] = [
  {
    path: "/change-password",
    summary: "Change your password",
    body: bodies["/change-password"],
    output: z.object({ token: z.string().nullable(), user: User }),
    cookie: "A new session, if the others are revoked",
    signedIn: true,
    errors: failuresOf(
      "INVALID_PASSWORD",
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
    body: bodies["/link-social"],
    output: z.object({ url: z.url(), redirect: z.boolean() }),
    cookie: "The sealed state of this sign-in",
    signedIn: true,
    errors: [...failuresOf("PROVIDER_NOT_FOUND"), notFresh],
  },
  {
    path: "/unlink-account",
    summary: "Remove one of your ways to sign in",
    description:
      "Not the last one, and only within a day of signing in. Ends all other sessions. The provider opens the account again only once you have added it.",
    body: bodies["/unlink-account"],
    output: Status,
    signedIn: true,
    errors: [...failuresOf("ACCOUNT_NOT_FOUND", "FAILED_TO_UNLINK_LAST_ACCOUNT"), notFresh],
  },
  {
    path: "/delete-user",
    summary: "Delete your account and all its data",
    description:
      "Requires the password or, for an account without one and where passwords are off, a sign-in less than ten minutes ago.",
    body: bodies["/delete-user"],
    output: z.object({ success: z.boolean(), message: z.string() }),
    cookie: "The end of the session",
    signedIn: true,
    errors: failuresOf("INVALID_PASSWORD", "SESSION_EXPIRED", "LAST_OWNER", "TOO_MANY_ATTEMPTS"),
  },
]

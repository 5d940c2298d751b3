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
  lockable,
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

import * as z from "zod"

import {
  type AuthOperation,
  invalidFields,
  rateLimited,
  Session,
  Status,
  unauthorized,
  User,
} from "./operation-fields.ts"

export const sessionOperations: AuthOperation[] = [
  {
    path: "/get-session",
    method: "GET",
    summary: "Get the current session, or null",
    description: "Once a day, extends the session and its cookie to a week from now.",
    output: z.object({ session: Session, user: User }).nullable(),
    cookie: "The session, extended; or its end",
    errors: [],
  },
  {
    path: "/sign-out",
    method: "POST",
    summary: "Sign out",
    output: z.object({ success: z.boolean() }),
    cookie: "The end of the session",
    errors: rateLimited,
  },
  {
    path: "/list-sessions",
    method: "GET",
    summary: "List your sessions",
    output: z.array(Session),
    signedIn: true,
    errors: [unauthorized],
  },
  {
    path: "/revoke-other-sessions",
    method: "POST",
    summary: "Revoke all your other sessions",
    output: Status,
    signedIn: true,
    errors: [unauthorized, ...rateLimited],
  },
  {
    path: "/revoke-sessions",
    method: "POST",
    summary: "Revoke all your sessions",
    output: Status,
    signedIn: true,
    errors: [unauthorized, ...rateLimited],
  },
  {
    path: "/revoke-session",
    method: "POST",
    summary: "Revoke a session",
    body: z.object({ token: z.string() }),
    output: Status,
    signedIn: true,
    errors: [invalidFields, unauthorized, ...rateLimited],
  },
]

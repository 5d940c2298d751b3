import * as z from "zod"

import { type AuthOperation, Session, Status, User } from "./operation-fields.ts"

const Device = z
  .object({
    browser: z.string().nullable().describe("Such as Firefox"),
    system: z.string().nullable().describe("Such as Linux"),
  })
  .describe("What the user agent says; null where it says nothing known")

export const sessionOperations: AuthOperation[] = [
  {
    path: "/get-session",
    summary: "Get the current session, or null",
    description: "Once a day, extends the session and its cookie to a week from now.",
    output: z.object({ session: Session, user: User }).nullable(),
    cookie: "The session, extended; or its end",
  },
  {
    path: "/sign-out",
    summary: "Sign out",
    output: z.object({ success: z.boolean() }),
    cookie: "The end of the session",
  },
  {
    path: "/list-sessions",
    summary: "List your sessions",
    output: z.array(Session.extend({ device: Device })),
    signedIn: true,
  },
  {
    path: "/revoke-other-sessions",
    summary: "Revoke all your other sessions, and all trust in browsers",
    output: Status,
    signedIn: true,
  },
  {
    path: "/revoke-sessions",
    summary: "Revoke all your sessions, and all trust in browsers",
    output: Status,
    signedIn: true,
  },
  {
    path: "/revoke-session",
    summary: "Revoke a session",
    output: Status,
    signedIn: true,
  },
]

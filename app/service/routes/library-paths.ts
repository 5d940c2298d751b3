import * as z from "zod"

import { factors } from "../platform/database/auth.table.ts"
import { Device } from "../platform/http/device.ts"
import type { Path } from "../session/endpoint.ts"
import { SessionUser } from "../session/profile.ts"

/* Responses of the authentication library, or of the session reader in its place. */

const Session = z.object({
  id: z.string(),
  userId: z.string(),
  token: z.string().describe("Identifies the session when revoking it; not valid as a cookie"),
  ipAddress: z.string().nullish(),
  userAgent: z.string().nullish(),
  expiresAt: z.date(),
  remembered: z.boolean().describe("false: it ends with the browser"),
  factor: z
    .enum(factors)
    .nullish()
    .describe(
      "The second factor that it was shown; trusted: a browser that has shown one before. Null where the account has none",
    ),
  provenAt: z
    .date()
    .nullish()
    .describe("When all that the account has was last shown; null: not in this session"),
  name: z.string().nullish().describe("What its owner calls the device"),
  createdAt: z.date(),
  updatedAt: z.date(),
})

const LinkedAccount = z.object({
  id: z.string(),
  userId: z.string(),
  providerId: z.string(),
  accountId: z.string().describe("The user's id at the provider"),
  scopes: z.array(z.string()),
  createdAt: z.date(),
  updatedAt: z.date(),
})

export const libraryPaths = {
  getSession: {
    path: "/get-session",
    methods: ["GET"],
    is: ["open", "frequent"],
    summary: "Get the current session, or null",
    description: "Once a day, extends the session and its cookie to a week from now.",
    output: z.object({ session: Session, user: SessionUser }).nullable(),
    cookie: "The session, extended; or its end",
  },
  listSessions: {
    path: "/list-sessions",
    methods: ["GET"],
    is: ["frequent"],
    summary: "List your sessions",
    output: z.array(Session.extend({ device: Device })),
  },
  listAccounts: {
    path: "/list-accounts",
    methods: ["GET"],
    is: ["frequent"],
    summary: "List your ways to sign in",
    description: "The password is `credential`; the others are identity providers.",
    output: z.array(LinkedAccount),
  },
} as const satisfies Record<string, Path>

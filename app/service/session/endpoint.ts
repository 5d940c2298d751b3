import { type AuthMiddleware, createAuthEndpoint } from "better-auth/api"
import type * as z from "zod"

import type { Emails } from "../../letters.ts"
import type { Attempts } from "../guard/attempts.ts"
import type { BrowserMarks } from "../guard/browser-marks.ts"
import type { Configuration } from "../platform/configuration/configuration.ts"
import type { Database } from "../platform/database/database.ts"
import type { Records } from "../platform/database/records.ts"
import type { Letters } from "../platform/mail/owed-letters.ts"

export type Dependencies = {
  configuration: Configuration
  database: Database
  attempts: Attempts
  marks: BrowserMarks
  letters: Letters
  records: Records[]
  /** Undefined if the environment has no mail service. */
  emails: Emails | undefined
}

export type Trait =
  /** Serves only passwords, or only codes by email. Rejected if the environment has switched them off. */
  | "password"
  | "code"
  /**
   * Sends an email, so it is limited for each address. Its link leads only to configured pages, because the requester
   * may not own the address.
   */
  | "letter"
  /** Requires no session, or only reports or ends the session. */
  | "open"
  /** Accepts a session without its account's mandatory factor. Other paths that need a session reject it. */
  | "step-up"
  /** Front ends call it on every page, and an office may share one address, so each session has its own limit. */
  | "frequent"

/** A path below /api/auth, for its endpoint and the checks before it. Its texts are in infra/openapi/descriptions/. */
export type Path = {
  /** Contains the names of its parameters, as in `/sign-in/:provider`. */
  path: string
  /** Default: only POST. */
  methods?: ("GET" | "POST")[]
  is?: Trait[]
  body?: z.ZodObject
}

export function hasOne(fields: Record<string, unknown>) {
  return Object.values(fields).filter((value) => value !== undefined).length === 1
}

type Options<Body extends z.ZodObject, Use extends AuthMiddleware[]> = {
  method: "POST"
  body: Body
  use: Use
}
type Handler<Body extends z.ZodObject, Use extends AuthMiddleware[], Answer> = Parameters<
  typeof createAuthEndpoint<string, Options<Body, Use>, Answer>
>[1]

/** Creates the POST endpoint of a path. The middleware in `use` runs first. */
export function post<Body extends z.ZodObject, Use extends AuthMiddleware[], Answer>(
  { path, body }: { path: string; body: Body },
  use: Use,
  handler: Handler<Body, Use, Answer>,
) {
  return createAuthEndpoint(path, { method: "POST", body, use }, handler)
}

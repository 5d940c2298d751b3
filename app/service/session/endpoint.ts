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
  /** It serves passwords alone, or codes by e-mail: refused where those are off. */
  | "password"
  | "code"
  /**
   * It sends an email, so it is limited for each address, and its link leads only to configured pages,
   * because the requester may not own the address.
   */
  | "letter"
  /** It asks for no session, tells whose it is, or ends it. */
  | "open"
  /** It takes a session that has not shown the factor that its account must have: others take none. */
  | "step-up"
  /** A front end asks it on every page, from an office that has one address: each session has its own limit. */
  | "frequent"

/** A path below /api/auth, for its endpoint and the checks before it; infra/openapi/descriptions/ has its texts. */
export type Path = {
  /** Names its parameters, as in `/sign-in/:provider`. */
  path: string
  /** Default: POST alone. */
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

/** The endpoint of a path that takes a body, behind what `use` asks of a session. */
export function post<Body extends z.ZodObject, Use extends AuthMiddleware[], Answer>(
  { path, body }: { path: string; body: Body },
  use: Use,
  handler: Handler<Body, Use, Answer>,
) {
  return createAuthEndpoint(path, { method: "POST", body, use }, handler)
}

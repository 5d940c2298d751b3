import { type AuthMiddleware, createAuthEndpoint } from "better-auth/api"

import type { Emails } from "../../letters.ts"
import type { Configuration } from "../configuration/configuration.ts"
import type { Database } from "../database/database.ts"
import type { Attempts } from "./attempts.ts"
import { bodies } from "./bodies.ts"
import type { BrowserMarks } from "./cookie/browser-marks.ts"
import type { Letters } from "./owed-letters.ts"

/** What the endpoints are made of. */
export type Dependencies = {
  configuration: Configuration
  database: Database
  attempts: Attempts
  marks: BrowserMarks
  letters: Letters
  /** Undefined where the environment has no mail service. */
  emails: Emails | undefined
}

type Path = keyof typeof bodies
type Options<Of extends Path, Use extends AuthMiddleware[]> = {
  method: "POST"
  body: (typeof bodies)[Of]
  use: Use
}
type Handler<Of extends Path, Use extends AuthMiddleware[], Answer> = Parameters<
  typeof createAuthEndpoint<string, Options<Of, Use>, Answer>
>[1]

/** The endpoint of a path that takes a body, behind what `use` asks of a session. */
export function post<Of extends Path, Use extends AuthMiddleware[], Answer>(
  path: Of,
  use: Use,
  handler: Handler<Of, Use, Answer>,
) {
  return createAuthEndpoint(path, { method: "POST", body: bodies[path], use }, handler)
}

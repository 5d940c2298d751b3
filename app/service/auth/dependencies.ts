import type { Emails } from "../../letters.ts"
import type { Configuration } from "../configuration/configuration.ts"
import type { Database } from "../database/database.ts"
import type { Attempts } from "./attempts.ts"
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

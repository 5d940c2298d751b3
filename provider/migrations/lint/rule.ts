import type { Step, Trial } from "./trial.ts"

/** An error would lose rows or fail on D1; a warning wants a look. */
export type Level = "error" | "warning"

export type Found = {
  step: Step
  /** Position in the statement of what is wrong; its start by default. */
  at?: number
  level: Level
  message: string
  /** What to write instead. */
  rewrite: string
  /** The declaration in the file that makes an error a warning, as in `loses session`. */
  unless?: string
}

export type Rule = {
  name: string
  /** What it finds, in half a line. */
  finds: string
  /** Why that is a problem on D1, for people. */
  why: string
  /** SQL that it finds, after `schema`. */
  example: { schema: string; sql: string; instead: string }
  find(trial: Trial): Found[]
}

import type { Loss } from "../provenance/losses.ts"
import type { Step, Trial } from "../provenance/trial.ts"

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
  /** What a declaration in the file makes a warning. */
  loss?: Loss
  /** A table whose declared loss makes it a warning. */
  unjudged?: string
}

export type Rule = {
  name: string
  /** Whether it reads words alone, and so says the truth of a file that cannot be tried. */
  ofWords?: boolean
  find(trial: Trial): Found[]
}

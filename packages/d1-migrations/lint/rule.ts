import type { Reading, Step } from "../reading/reading.ts"
import type { Loss } from "./loss.ts"

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

/** A file on the schema that it finds. */
export type Judged = { reading: Reading; losses: Loss[]; unseen: Found[] }

export type Rule = {
  name: string
  find(judged: Judged): Found[]
}

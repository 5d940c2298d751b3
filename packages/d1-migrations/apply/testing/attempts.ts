import { readFileSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

import { readCases } from "../../lint/testing/cases.ts"

const Sql = z.array(z.string()).transform((lines) => lines.join("\n"))
const Attempts = z.object({
  schema: Sql,
  rows: Sql,
  attempts: z.array(
    z.object({
      name: z.string(),
      /** Whether a user would miss what it takes from the rows. */
      harm: z.boolean(),
      schema: Sql.optional(),
      rows: Sql.optional(),
      /** Applied in this order. */
      files: z.array(z.string()),
    }),
  ),
})

/** Files that take something, or nothing, of the rows that they find. */
export type Attempt = {
  name: string
  harm: boolean
  schema: string
  rows: string
  files: string[]
}

const text = readFileSync(join(import.meta.dirname, "attempts.json"), "utf8")
const { schema, rows, attempts } = Attempts.parse(JSON.parse(text))

export const ownAttempts: Attempt[] = attempts.map((attempt) => {
  return Object.assign(attempt, { schema: attempt.schema ?? schema, rows: attempt.rows ?? rows })
})

/** The cases of the lint, as a database with rows finds them. */
export const lintAttempts: Attempt[] = readCases().map(
  ({ name, harm, before, rows: caseRows, change }) => {
    return { name, harm: harm === "yes", schema: before, rows: caseRows, files: [change] }
  },
)

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

/** A migration that was made to show where a judgement could go wrong, in either direction. */
const Case = z.object({
  name: z.string(),
  /** Whether a user would miss what it takes; otherwise a refusal is a false alarm. */
  harm: z.enum(["yes", "no"]),
  /** Outcome of the lint. */
  lint: z.string(),
  /** Whether `up` refuses it before it is sent. */
  up: z.enum(["refuses", "sends"]),
  before: z.string(),
  rows: z.string(),
  change: z.string(),
})
export type Case = z.infer<typeof Case>

const casesFolder = join(import.meta.dirname, "cases")

export function readCases(folder = casesFolder): Case[] {
  return readdirSync(folder).map((file) => {
    const text = readFileSync(join(folder, file), "utf8")
    const [head = "", rest = ""] = text.split("\n-- before\n")
    const [before, rowsText = ""] = rest.split("\n-- rows\n")
    const [rows, change] = rowsText.split("\n-- change\n")
    const [harm, lint, up] = head.split("\n").map((line) => line.replace(/^-- \w+: /, ""))
    return Case.parse({ name: file.replace(/\.sql$/, ""), harm, lint, up, before, rows, change })
  })
}

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

/** A typical migration, written for these tests, with its effect and its findings. */
const Shape = z.object({
  name: z.string(),
  title: z.string(),
  /** Where such a file was seen. */
  seen: z.string(),
  /** The effect on the rows when the file is sent to D1. */
  onD1: z.enum(["keeps", "loses", "fails"]),
  /** As in `error cascade-parent`, each once, sorted. */
  lint: z.array(z.string()),
  before: z.string(),
  change: z.string(),
})
export type Shape = z.infer<typeof Shape>

const folder = join(import.meta.dirname, "corpus")

export function readCorpus(): Shape[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"))
  return files.map((file) => {
    const text = readFileSync(join(folder, file), "utf8")
    const [head = "", rest = ""] = text.split("\n-- before\n")
    const [before, change] = rest.split("\n-- change\n")
    const [title, origin, onD1, lint = ""] = head
      .split("\n")
      .map((line) => line.replace(/^-- (?:Seen: |On D1: |Lint: )?/, ""))
    const rules = lint === "nothing" ? [] : lint.split("; ").toSorted()
    const name = file.replace(/\.sql$/, "")
    return Shape.parse({ name, title, seen: origin, onD1, lint: rules, before, change })
  })
}

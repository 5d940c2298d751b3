import type { SchemaUse } from "../version/schema-use.ts"
import type { Tightening } from "./classification/schema-change.ts"
import type { JudgedFile } from "./judgement.ts"
import { isSameName } from "./rehearsal/schema.ts"

/**
 * Rules that a file adds to what a version knows, in words; undefined without any. What it writes
 * is not known, so they are no reason to refuse the file.
 */
export function describeAddedRules(
  { classification, before }: JudgedFile,
  { tables }: SchemaUse,
): string | undefined {
  const known = classification.tightens.filter(({ table, columns }) => {
    const used = Object.entries(tables).find(([name]) => isSameName(name, table))?.[1]
    const former = before.find(({ name }) => isSameName(name, table))
    if (used === undefined || former === undefined) return false
    // What it does not know it leaves empty, which only a condition may forbid.
    return columns.length === 0 || columns.some((name) => used.some((one) => isSameName(one, name)))
  })
  if (known.length === 0) return undefined
  return known.map(describeRule).join(", ")
}

function describeRule({ kind, table, detail }: Tightening): string {
  return kind === "check" ? `check of ${table}: ${detail}` : `${kind} of ${table} (${detail})`
}

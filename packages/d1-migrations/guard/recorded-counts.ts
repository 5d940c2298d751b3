import { quoteName } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"

type Recording = { sidecar: string; file: string; table: string; from: string }

/** Adds how many rows a table has to the file's row of the sidecar. */
export function recordCount({ sidecar, file, table, from }: Recording): string {
  const counted = `json_object(${literal(table)}, ${countOf([from])})`
  return `UPDATE "${sidecar}" SET rows_before = json_patch(coalesce(rows_before, '{}'), ${counted}) WHERE name = ${literal(file)};`
}

export function countOf(tables: string[]): string {
  const counts = tables.map((name) => `(SELECT count(*) FROM ${quoteName(name)})`)
  return counts.join(" + ") || "0"
}

import { quoteName } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"

type Recording = { sidecar: string; file: string; column: string; table: string; from: string[] }

/** Adds a count to the file's row of the sidecar. */
export function record({ sidecar, file, column, table, from }: Recording): string {
  const counted = `json_object(${literal(table)}, ${countOf(from)})`
  return `UPDATE "${sidecar}" SET ${column} = json_patch(coalesce(${column}, '{}'), ${counted}) WHERE name = ${literal(file)};`
}

export function countOf(tables: string[]): string {
  const counts = tables.map((name) => `(SELECT count(*) FROM ${quoteName(name)})`)
  return counts.join(" + ") || "0"
}

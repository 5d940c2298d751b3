import type { Snapshot, Value } from "./snapshot.ts"
import { insertInto } from "./snapshot.ts"

export type DumpOptions = {
  no_schema?: boolean | undefined
  no_data?: boolean | undefined
  /** All tables when absent or empty. */
  tables?: string[] | undefined
}

export function dumpSql(
  snapshot: Snapshot,
  { no_schema, no_data, tables = [] }: DumpOptions,
): string {
  const wanted = snapshot.tables.filter(({ name }) => tables.length === 0 || tables.includes(name))
  const lines = ["PRAGMA defer_foreign_keys=TRUE;"]
  for (const table of wanted) {
    if (no_schema !== true) lines.push(`${table.sql};`)
    if (no_data === true) continue
    for (const row of snapshot.rows(table)) {
      lines.push(`${insertInto(table)} VALUES(${row.map(literal).join(",")});`)
    }
  }
  if (no_schema !== true && tables.length === 0) {
    lines.push(...snapshot.otherObjects.map(({ sql }) => `${sql};`))
  }
  if (no_data !== true) {
    lines.push(
      ...sequences(
        snapshot,
        wanted.map(({ name }) => name),
      ),
    )
  }
  return `${lines.join("\n")}\n`
}

function sequences(snapshot: Snapshot, tables: string[]): string[] {
  const wanted = snapshot.sequences.filter(({ name }) => tables.includes(name))
  return wanted.flatMap(({ name, seq }) => [
    `DELETE FROM sqlite_sequence WHERE name = ${literal(name)};`,
    `INSERT INTO sqlite_sequence (name, seq) VALUES(${literal(name)},${seq});`,
  ])
}

function literal(value: Value): string {
  if (value === null) return "NULL"
  if (typeof value === "number") return number(value)
  if (typeof value === "bigint") return String(value)
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`
  return `'${value.replaceAll("'", "''")}'`
}

/** SQLite has no literal for infinity, but parses a number that is too large as infinity. */
function number(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? "9e999" : "-9e999"
}

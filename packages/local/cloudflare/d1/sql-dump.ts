import { insertInto, type Snapshot, type Table, type Value } from "./snapshot.ts"

export type DumpOptions = {
  no_schema?: boolean | undefined
  no_data?: boolean | undefined
  /** All tables when absent or empty. */
  tables?: string[] | undefined
}

/**
 * In Cloudflare's order: each table with its rows, as they were created, and last indexes, triggers and
 * views (Miniflare's `dumpSql`, which Cloudflare took from its service). Rows therefore may come before
 * the table that they refer to, and such a file is imported only after `PRAGMA foreign_keys=OFF`
 * (cloudflare/workers-sdk#5683).
 */
export function dumpSql(
  snapshot: Snapshot,
  { no_schema = false, no_data = false, tables = [] }: DumpOptions,
): string {
  const isWanted = ({ name }: { name: string }) => tables.length === 0 || tables.includes(name)
  const lines = ["PRAGMA defer_foreign_keys=TRUE;"]
  for (const table of snapshot.tables.filter(isWanted)) {
    if (!no_schema) lines.push(`${creation(table)};`)
    if (no_data) continue
    for (const row of snapshot.rows(table)) lines.push(insertion(table, row))
  }
  const counters = { name: "sqlite_sequence", columns: ["name", "seq"] }
  if (snapshot.sequences.length > 0 && isWanted(counters)) {
    if (!no_schema) lines.push("DELETE FROM sqlite_sequence;")
    for (const { name, seq } of no_data ? [] : snapshot.sequences) {
      lines.push(insertion(counters, [name, seq]))
    }
  }
  if (!no_schema) {
    lines.push(...snapshot.otherObjects.filter(isWanted).map(({ sql }) => `${sql};`))
  }
  return `${lines.join("\n")}\n`
}

function creation({ sql }: Pick<Table, "sql">): string {
  return sql.replace(/^CREATE TABLE (?=['"])/, "CREATE TABLE IF NOT EXISTS ")
}

function insertion(table: Pick<Table, "name" | "columns">, row: Value[]): string {
  return `${insertInto(table)} VALUES(${row.map(literal).join(",")});`
}

function literal(value: Value): string {
  if (value === null) return "NULL"
  if (typeof value === "number") return number(value)
  if (typeof value === "bigint") return String(value)
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`
  const quoted = `'${value.replaceAll("'", "''").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}'`
  const carriage = value.includes("\r") ? `replace(${quoted},'\\r',char(13))` : quoted
  return value.includes("\n") ? `replace(${carriage},'\\n',char(10))` : carriage
}

/** SQLite has no literal for infinity, but parses a number that is too large as infinity. */
function number(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? "9e999" : "-9e999"
}

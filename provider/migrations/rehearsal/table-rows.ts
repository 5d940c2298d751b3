import { quoteName, type Table } from "./schema.ts"
import type { Row, ScratchDatabase } from "./scratch-database.ts"

/** Rows of a table by an identity that no foreign key changes, if the table has one. */
export function readRows(database: ScratchDatabase, table: Table): Map<string, Row> {
  const name = quoteName(table.name)
  const columns = table.columns.map((column) => quoteName(column.name)).join(", ")
  if (table.withoutRowid) {
    const keys = table.columns.filter((column) => column.inPrimaryKey)
    const rows = database.rows(`SELECT ${columns} FROM ${name}`)
    return new Map(rows.map((row) => [keys.map((key) => textOf(row[key.name])).join(), row]))
  }
  const alias = `row of ${table.name}`
  const rows = database.rows(`SELECT rowid AS ${quoteName(alias)}, ${columns} FROM ${name}`)
  return new Map(
    rows.map((row) => {
      const { [alias]: rowid, ...values } = row
      return [textOf(rowid), values]
    }),
  )
}

type Sought = { table: Table; row: Row; definition: Table }

/**
 * The row of `table` that was `row` of `definition`: by primary key where `table` has its columns,
 * else by all values, else by all but emptied references.
 */
export function findRow(database: ScratchDatabase, { table, row, definition }: Sought) {
  const shared = table.columns.map(({ name }) => name).filter((name) => name in row)
  const key = primaryKeyOf(definition)
  const find = (by: string[], emptied: string[] = []): Row | undefined => {
    const equal = by.map((name) => `${quoteName(name)} IS ?`)
    const empty = emptied.map((name) => `${quoteName(name)} IS NULL`)
    const conditions = [...equal, ...(empty.length > 0 ? [`(${empty.join(" OR ")})`] : [])]
    const values = by.map((name) => row[name] ?? null)
    const where = conditions.join(" AND ") || "FALSE"
    return database.rows(`SELECT * FROM ${quoteName(table.name)} WHERE ${where}`, ...values)[0]
  }
  if (key.length > 0 && key.every((name) => shared.includes(name))) return find(key)
  const references = definition.foreignKeys.flatMap(({ columns }) => columns)
  const own = shared.filter((name) => !references.includes(name))
  return (
    find(shared) ??
    find(
      own,
      references.filter((name) => shared.includes(name)),
    )
  )
}

function primaryKeyOf({ columns }: Table): string[] {
  return columns.filter((column) => column.inPrimaryKey).map(({ name }) => name)
}

/** Distinguishes 1 from '1'. */
export function textOf(value: Row[string] | undefined): string {
  if (value instanceof Uint8Array) return `x${Buffer.from(value).toString("hex")}`
  return `${typeof value} ${String(value)}`
}

import { type Column, isSameName, type Table } from "./schema.ts"

/** Column names by table: what a version uses, or all that a schema has. */
type Names = Record<string, string[]>

/** Why a version cannot work with a schema. */
export type Misfit =
  /** A table or column that it uses does not exist. */
  | { kind: "table"; table: string; column?: undefined }
  | { kind: "column"; table: string; column: string }
  /** Each of its INSERTs fails, as it does not know a column that has to be named. */
  | { kind: "required"; table: string; column: string }

export function misfitsOf(uses: Names, schema: Table[]): Misfit[] {
  return Object.entries(uses).flatMap(([table, columns]) => {
    const tableInfo = schema.find(({ name }) => isSameName(name, table))
    return tableInfo === undefined
      ? [{ kind: "table" as const, table }]
      : misfitsOfTable(columns, tableInfo)
  })
}

function misfitsOfTable(uses: string[], { name: table, columns }: Table): Misfit[] {
  const missing = uses.filter((name) => !columns.some((column) => isSameName(column.name, name)))
  const unknown = columns.filter(({ name }) => !uses.some((use) => isSameName(use, name)))
  const required = unknown.filter(isRequired).map(({ name }) => name)
  return [
    ...missing.map((column) => ({ kind: "column" as const, table, column })),
    ...required.map((column) => ({ kind: "required" as const, table, column })),
  ]
}

export function namesOf(schema: Table[]): Names {
  return Object.fromEntries(
    schema.map(({ name, columns }) => [name, columns.map((column) => column.name)]),
  )
}

/** Finds the misfits that a file causes: what it removes existed before. */
export function newMisfits(
  uses: Names,
  { before, after }: { before: Table[]; after: Table[] },
): Misfit[] {
  return misfitsOf(uses, after).filter(({ kind, table, column }) => {
    const tableBefore = before.find(({ name }) => isSameName(name, table))
    const columnBefore = tableBefore?.columns.find(({ name }) => isSameName(name, column ?? ""))
    if (kind === "column") return columnBefore !== undefined
    return tableBefore !== undefined && (columnBefore === undefined || !isRequired(columnBefore))
  })
}

/** As in `user.note` and `session`. */
export function describeMisfit({ kind, table, column }: Misfit): string {
  const name = column === undefined ? table : `${table}.${column}`
  return kind === "required" ? `${name} (NOT NULL without a default)` : name
}

function isRequired({ notNull, hasDefault, generated, inPrimaryKey, type }: Column): boolean {
  // SQLite numbers an INTEGER PRIMARY KEY itself.
  const counted = inPrimaryKey && type === "INTEGER"
  return notNull && !hasDefault && !generated && !counted
}

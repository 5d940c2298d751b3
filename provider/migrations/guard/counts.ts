import type { Classification } from "../classification/classification.ts"
import type { Declaration } from "../declarations.ts"
import { sidecarTable } from "../own-tables.ts"
import { type Column, findTable, isSameName, quoteName, type Table } from "../rehearsal/schema.ts"
import { literal } from "../sql-literal.ts"

/** Something that is counted before and after a file, as in `user` or `audit.actor_id`. */
type Count = {
  key: string
  before: string
  /** Undefined when the table goes. */
  after: string | undefined
  /** How many fewer are declared. */
  bound: number
}

type Change = {
  /** The name of the file. */
  file: string
  before: Table[]
  classification: Classification
  declarations: Declaration[]
}

/** Tables whose rows a file may take: those it touches, and all that refer to them, in any step. */
function guardedTables(schema: Table[], touched: string[]): Table[] {
  const guarded = schema.filter(({ name }) => touched.some((one) => isSameName(one, name)))
  // The list grows while it is walked.
  for (const parent of guarded) {
    const children = schema.filter(
      (table) =>
        !guarded.includes(table) &&
        table.foreignKeys.some((key) => isSameName(key.parent, parent.name)),
    )
    guarded.push(...children)
  }
  return guarded
}

export function countsOf(change: Change): Count[] {
  const { before, classification } = change
  const targets = classification.moves.map(({ to }) => to)
  const tables = guardedTables(before, [...classification.touched, ...targets])
  const rows = tables.map((table) => rowsOf(change, table))
  return [...rows, ...tables.flatMap((table) => referencesOf(change, table))]
}

function rowsOf({ file, classification, declarations, before }: Change, table: Table): Count {
  const { names, moves } = classification
  const now = names.get(table.name)
  const move = moves.find(({ from }) => isSameName(from, table.name))
  const counted = (name: string) => `SELECT count(*) FROM ${quoteName(name)}`
  const gained = (to: string) =>
    findTable(before, to) === undefined
      ? counted(to)
      : `SELECT (${counted(to)}) - (SELECT value FROM json_each((SELECT rows_before FROM "${sidecarTable}" WHERE name = ${literal(file)})) WHERE key = ${literal(to)})`
  return {
    key: table.name,
    before: counted(table.name),
    after: now === undefined ? move && gained(move.to) : counted(now),
    bound: declaredLoss(declarations, table.name),
  }
}

export function declaredLoss(declarations: Declaration[], table: string): number {
  const declared = declarations.find((one) => one.does === "loses" && isSameName(one.table, table))
  return declared?.does === "loses" ? declared.atMost : 0
}

/** Columns whose value a foreign key may take away. */
function referencesOf(change: Change, table: Table): Count[] {
  const { classification, declarations } = change
  const now = findTable(classification.after, classification.names.get(table.name) ?? "")
  if (now === undefined) return []
  const columns = new Set(table.foreignKeys.flatMap((key) => key.columns))
  return table.columns
    .filter(({ name }) => columns.has(name) && isLosable(table, name))
    .filter(({ name }) => now.columns.some((column) => isSameName(column.name, name)))
    .map((column) => {
      const declared = declarations.find(
        (one) =>
          one.does === "empties" &&
          isSameName(one.table, table.name) &&
          isSameName(one.column, column.name),
      )
      const emptied = declared?.does === "empties" ? declared.atMost : 0
      return {
        key: `${table.name}.${column.name}`,
        before: valuesOf(table.name, table, column),
        after: valuesOf(now.name, table, column),
        bound: Math.min(emptied + declaredLoss(declarations, table.name), Number.MAX_SAFE_INTEGER),
      }
    })
}

function isLosable(table: Table, name: string): boolean {
  const notNull = table.columns.some((column) => column.name === name && column.notNull)
  return !notNull || setsDefault(table, name)
}

function setsDefault({ foreignKeys }: Table, column: string): boolean {
  return foreignKeys.some(
    ({ columns, onDelete, onUpdate }) =>
      columns.includes(column) && [onDelete, onUpdate].includes("SET DEFAULT"),
  )
}

function valuesOf(name: string, table: Table, { name: column, defaultValue }: Column): string {
  const value = quoteName(column)
  const counted = setsDefault(table, column) ? `nullif(${value}, ${defaultValue})` : value
  return `SELECT count(${counted}) FROM ${quoteName(name)}`
}

/** Adds the counts to the file's row of the sidecar: one statement each, as D1 limits compounds. */
export function recordCounts(file: string, column: string, counts: [string, string][]): string[] {
  return counts.map(
    ([key, count]) =>
      `UPDATE "${sidecarTable}" SET ${column} = json_patch(coalesce(${column}, '{}'), json_object(${literal(key)}, (${count}))) WHERE name = ${literal(file)};`,
  )
}

import { type LiveTable, type LiveTables } from "./live-tables.ts"
import { findTable, type ForeignKey, readSchema, type Table } from "./schema.ts"
import type { Row, ScratchDatabase } from "./scratch-database.ts"
import type { StatementEffect } from "./statement-effect.ts"
import { findRow, readRows, textOf } from "./table-rows.ts"

/** What a table loses because rows or a table to which it refers went. */
export type Loss = {
  /** From 1. */
  statement: number
  /** The table that the statement drops or rewrites. */
  cause: string
  table: string
  /** Columns that lose their value; undefined when whole rows go. */
  columns: string[] | undefined
  keys: ForeignKey[]
}

/** Rows of `table` that a statement deleted or changed although it speaks of another table. */
export type Disturbance = {
  statement: number
  cause: string
  /** Rows that the statement deleted in words; the rest follows from these while they stay away. */
  deleted: { table: LiveTable; definition: Table; rows: Row[] } | undefined
  table: LiveTable
  definition: Table
  rows: Row[]
}

type ReadTable = { definition: Table; rows: Map<string, Row> }

type Step = {
  database: ScratchDatabase
  tables: LiveTables
  effect: StatementEffect
  statement: number
}

/** To be called before a statement runs; what it returns, after. */
export function recordDisturbance(step: Step): () => Disturbance[] {
  const { database, tables, effect, statement } = step
  if (effect.follows.length === 0) return () => []
  const schema = readSchema(database)
  const read = (name: string) => {
    const definition = findTable(schema, name)
    const table = tables.named(name)
    if (definition === undefined || table === undefined) return []
    return [{ definition, table, rows: readRows(database, definition) }]
  }
  const followers = effect.follows.flatMap(read)
  const { writes } = effect
  const [written] = writes?.by === "delete" ? read(writes.table) : []
  const cause = effect.drops[0] ?? writes?.table ?? ""

  return () => {
    const deleted = written && {
      table: written.table,
      definition: written.definition,
      rows: disturbedRows(database, written),
    }
    return followers.flatMap(({ table, definition, rows }) => {
      const changed = disturbedRows(database, { definition, rows })
      if (changed.length === 0) return []
      return { statement, cause, deleted, table, definition, rows: changed }
    })
  }
}

/** Rows that are gone now, or whose foreign keys were emptied, as they were. */
function disturbedRows(database: ScratchDatabase, { definition, rows }: ReadTable): Row[] {
  const now = readRows(database, definition)
  return [...rows].flatMap(([key, row]) => {
    const found = now.get(key)
    return found === undefined || emptied(definition, row, found).length > 0 ? [row] : []
  })
}

type End = { database: ScratchDatabase; tables: LiveTables; disturbances: Disturbance[] }

/** What is still missing when the whole file has run: a file may put back what it took. */
export function lossesOf({ database, tables, disturbances }: End): Loss[] {
  const schema = readSchema(database)
  const now = (table: LiveTable) => {
    const name = tables.successor(table)?.name
    return name === undefined ? undefined : findTable(schema, name)
  }

  const isMeant = ({ deleted }: Disturbance): boolean => {
    if (deleted === undefined) return false
    const { definition, rows } = deleted
    const table = now(deleted.table)
    if (table === undefined) return false
    return rows.every((row) => findRow(database, { table, row, definition }) === undefined)
  }

  return disturbances.flatMap((disturbance) => {
    const { statement, cause, definition, rows } = disturbance
    const table = now(disturbance.table)
    // A table that is dropped as well, and not rebuilt, is dropped in words.
    if (table === undefined || isMeant(disturbance)) return []
    const missing = rows.map((row) => {
      const found = findRow(database, { table, row, definition })
      return found === undefined ? "row" : emptied(definition, row, found)
    })
    const columns = missing.flatMap((one) => (one === "row" ? [] : one))
    const whole = missing.includes("row")
    if (!whole && columns.length === 0) return []
    const lost = whole ? undefined : [...new Set(columns)]
    const keys = definition.foreignKeys.filter(
      (key) => lost === undefined || key.columns.some((column) => lost.includes(column)),
    )
    return { statement, cause, table: table.name, columns: lost, keys }
  })
}

/** Columns of foreign keys that had a value and are NULL now, or back at their default. */
function emptied(definition: Table, before: Row, after: Row): string[] {
  return definition.foreignKeys.flatMap(({ columns, onDelete, onUpdate }) =>
    columns.filter((name) => {
      const [was, is] = [before[name], after[name]]
      if (was === null || is === undefined || textOf(was) === textOf(is)) return false
      return is === null || onDelete === "SET DEFAULT" || onUpdate === "SET DEFAULT"
    }),
  )
}

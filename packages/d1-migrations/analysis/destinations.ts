import type { Declaration } from "../files/declarations.ts"
import type { LiveTable } from "../schema/live-tables.ts"
import { findTable, isSameName, type Table } from "../schema/schema.ts"
import type { Analysis } from "./analysis.ts"

type Origins = Pick<Analysis, "tables" | "before" | "after" | "former" | "origins">

/** A table that has the rows of an original table after the file. */
export type Destination = {
  table: Table
  live: LiveTable
  /** The names of the original columns in this table. */
  columns: Map<string, string>
  /** Whether this is the original table itself, whose rows keep their rowids. */
  same: boolean
}

/**
 * Finds the tables that must have an original table's rows: the table with its name, because queries read by name;
 * else the renamed table; else the tables that its keys are copied to. Adds the declared table. Reads no rows.
 */
export function destinationsOf(
  analysis: Origins,
  table: Table,
  declarations: Declaration[],
): Destination[] {
  const { tables, after } = analysis
  const liveTable = tables.findByOriginalName(table.name)
  const namesake = tables.findByName(table.name)
  const destinations: Destination[] = []
  const add = (live: LiveTable | undefined) => {
    if (live === undefined || destinations.some((destination) => destination.live === live)) return
    const now = live.dropped ? undefined : findTable(after, live.name)
    if (now === undefined) return
    destinations.push({
      table: now,
      live,
      columns: columnsIn(analysis, table, { live, now }),
      same: live === liveTable,
    })
  }
  const moved = declarations.find(
    (declaration) => declaration.does === "moves" && isSameName(declaration.table, table.name),
  )
  const target = moved?.does === "moves" ? tables.findByName(moved.to.table) : undefined
  const isRenamed = target !== undefined && target === liveTable
  if (!isRenamed) add(namesake)
  if (destinations.length === 0 || isRenamed) add(liveTable)
  if (destinations.length === 0) {
    const keys =
      table.primaryKey.length > 0 ? table.primaryKey : table.columns.map(({ name }) => name)
    const isCopied = ({ columns }: Table, live: LiveTable) => {
      const copiedKeys = keys.filter((key) =>
        columns.some(({ name }) => isFrom(analysis, { live, name }, table, key)),
      )
      return table.primaryKey.length > 0 ? copiedKeys.length === keys.length : copiedKeys.length > 0
    }
    for (const now of after) {
      const live = tables.findByName(now.name)
      // A table that existed before can also be a destination: it has these rows besides its own.
      if (live !== undefined && isCopied(now, live)) add(live)
    }
  }
  add(target)
  return destinations
}

type Named = { live: LiveTable; name: string }

/** Returns whether a column has values of an original column. */
function isFrom(analysis: Origins, { live, name }: Named, table: Table, column: string): boolean {
  return analysis
    .origins(live, name)
    .some(
      (source) =>
        analysis.former.get(source.table) === table.name && isSameName(source.column, column),
    )
}

function columnsIn(
  analysis: Origins,
  table: Table,
  { live, now }: { live: LiveTable; now: Table },
): Map<string, string> {
  return new Map(
    table.columns.flatMap(({ name }): [string, string][] => {
      const namesake = now.columns.find((column) => isSameName(column.name, name))
      const copy = now.columns.find((candidate) =>
        isFrom(analysis, { live, name: candidate.name }, table, name),
      )
      const column = namesake ?? copy
      return column === undefined ? [] : [[name, column.name]]
    }),
  )
}

/** Returns the columns that can lose values: all except generated columns, unless a destination stores them. */
export function valueColumns(table: Table, destinations: Destination[]): string[] {
  return table.columns.flatMap(({ name, generated }) => {
    const isPlain = destinations.some(({ table: now, columns }) =>
      now.columns.some((column) => column.name === columns.get(name) && !column.generated),
    )
    return !generated || isPlain ? [name] : []
  })
}

/** A column of another table that has the values of a moved column, and how to find its row. */
export type MovedTo = {
  table: Table
  column: string
  /** Pairs of the original primary key and the columns of the target; empty without a key. */
  key: [was: string, is: string][]
  /** The foreign keys of destinations that refer to the row in the target. */
  through: { destination: Destination; columns: string[]; keys: string[] }[]
}

/** Finds the declared target of a moved column. `key` is empty if no copy or foreign key shows how rows match. */
export function movedTo(
  analysis: Origins,
  table: Table,
  {
    to,
    destinations,
    column,
  }: { to: { table: string; column: string }; destinations: Destination[]; column: string },
): MovedTo | undefined {
  const live = analysis.tables.findByName(to.table)
  const target = findTable(analysis.after, to.table)
  const targetColumn = target?.columns.find(({ name }) => isSameName(name, to.column))
  if (live === undefined || target === undefined || targetColumn === undefined) return undefined
  const names = destinations.map((destination) => destination.table.name)
  const referring = target.foreignKeys
    .filter(({ parent }) =>
      [table.name, ...names].some((tableName) => isSameName(tableName, parent)),
    )
    .map(({ columns, parentColumns }) =>
      table.primaryKey.flatMap((name): [string, string][] => {
        const at = parentColumns.findIndex((parentColumn) => isSameName(parentColumn, name))
        return columns[at] === undefined ? [] : [[name, columns[at]]]
      }),
    )
  const copied = table.primaryKey.flatMap((name): [string, string][] => {
    const is = target.columns.find((candidate) =>
      isFrom(analysis, { live, name: candidate.name }, table, name),
    )
    return is === undefined ? [] : [[name, is.name]]
  })
  const isWhole = (pairs: [string, string][]) =>
    pairs.length > 0 && pairs.length === table.primaryKey.length
  const key = [copied, ...referring].find(isWhole) ?? []
  const through = destinations.flatMap((destination) =>
    destination.table.foreignKeys
      .filter(({ parent }) => isSameName(parent, target.name))
      .map(({ columns, parentColumns }) => ({ destination, columns, keys: parentColumns })),
  )
  return { table: target, column: targetColumn.name, key, through: column === "" ? [] : through }
}

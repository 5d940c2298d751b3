import * as z from "zod"

import { type ForeignKey, findTable, quoteName, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { ordinaryValue } from "./column-values.ts"
import { isNullable, isOptional, type Turn } from "./table-order.ts"

/** SQL of a row's values by column. */
export type Cells = Record<string, string>

/** Undefined where there is nothing to refer to. */
export type Way = (row: number, cells: Cells) => Cells | undefined

type Reference = { database: ScratchDatabase; schema: Table[]; turn: Turn; key: ForeignKey }

/** How the columns of a reference may be filled, the most telling way first. */
export function waysToRefer({ database, schema, turn, key }: Reference): Way[] {
  const { table } = turn
  const empty = isOptional(table, key) ? [emptied(table, key)] : []
  if (turn.postponed.includes(key)) return empty
  if (turn.ahead.includes(key)) {
    const parent = findTable(schema, key.parent)
    if (parent === undefined) return empty
    return [(row) => fromParent(key, (name) => ordinaryValue(parent, name, row))]
  }
  if (turn.own.includes(key)) {
    const earlier: Way = (row, cells) => choose(readKeys(database, key), { key, row, cells })
    // Columns of its own come before this one in every row.
    const itself: Way = (_row, cells) => fromParent(key, (name) => cells[name])
    return [earlier, ...empty, itself]
  }
  let known: string[][] | undefined
  const some =
    (step: number): Way =>
    (row, cells) => {
      known ??= readKeys(database, key)
      return choose(known, { key, row: row * step, cells })
    }
  return [some(1), ...empty, some(7)]
}

/** An empty column is enough; the others get a value of their own. */
export function emptied(table: Table, { columns }: ForeignKey): Way {
  return (row, cells) =>
    Object.fromEntries(
      columns.map((name) => {
        if (isNullable(table, name)) return [name, "NULL"]
        return [name, cells[name] ?? ordinaryValue(table, name, row) ?? "NULL"]
      }),
    )
}

const Key = z.record(z.string(), z.string())

/** The keys of all rows that can be referred to, the first rows first. None where the parent is missing. */
function readKeys(database: ScratchDatabase, key: ForeignKey, order = "rowid"): string[][] {
  const { parent, parentColumns } = key
  const names = parentColumns.map(quoteName)
  const quoted = names.map((name, index) => `quote(${name}) AS k${index}`)
  const filled = names.map((name) => `${name} IS NOT NULL`)
  try {
    const rows = database.rows(
      `SELECT ${quoted.join(", ")} FROM ${quoteName(parent)} WHERE ${filled.join(" AND ")} ORDER BY ${order}`,
    )
    return rows.map((row) => Object.values(Key.parse(row)))
  } catch {
    // A table without rowid, whose rows are in the order of their key.
    return order === "rowid" ? readKeys(database, key, "1") : []
  }
}

type Wanted = { key: ForeignKey; row: number; cells: Cells }

/** One that agrees with the columns that have a value already, as two references may share some. */
function choose(known: string[][], { key, row, cells }: Wanted): Cells | undefined {
  const fixed = key.columns.some((name) => name in cells)
  const fitting = fixed
    ? known.filter((values) =>
        key.columns.every(
          (name, index) => cells[name] === undefined || cells[name] === values[index],
        ),
      )
    : known
  const values = fitting[row % fitting.length]
  if (values === undefined) return undefined
  return fromParent(key, (name) => values[key.parentColumns.indexOf(name)])
}

/** Values by column, from those of the parent's columns; undefined if one is missing. */
function fromParent(
  { columns, parentColumns }: ForeignKey,
  valueOf: (parentColumn: string) => string | undefined,
): Cells | undefined {
  const cells: Cells = {}
  for (const [index, name] of columns.entries()) {
    const value = valueOf(parentColumns[index] ?? "")
    if (value === undefined) return undefined
    cells[name] = value
  }
  return cells
}

import type { Hints } from "../provenance/hints.ts"
import {
  type Column,
  columnNamed,
  type ForeignKey,
  isNumbered,
  isRowid,
  isSameName,
  numberNames,
  type Table,
} from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { folded } from "../sql/folded.ts"
import { ordinaryValue, valuesFor } from "./column-values.ts"
import { type Cells, emptied, type Way, waysToRefer } from "./references.ts"
import { isRuled, keepsOwnChecks, literalsFor, readRules } from "./rule-literals.ts"
import { isNullable, isOptional, type Turn } from "./table-order.ts"
import { tellingValues } from "./telling-values.ts"

/** A column, or the columns of a reference, which are filled together. */
export type Slot = {
  columns: string[]
  /** Ways to fill it in an ordinary row. */
  ordinary: Way[]
  /** Values that at least one row shall have. */
  boundaries: Boundary[]
  /** Whether a check or a trigger speaks of it. */
  ruled: boolean
  /** Whether the script compares it with something. */
  compared: boolean
}

/** `listed` values stand in a check or trigger: some row takes them, though perhaps not every one. */
export type Boundary = { cells: Cells; listed: boolean }

type Described = {
  database: ScratchDatabase
  schema: Table[]
  turn: Turn
  hints?: Hints
  /** Rules that the script adds: ordinary rows keep them, and some others do not. */
  later?: string[]
}

/** With hints the values are those that show what a script does to them. */
export function slotsOf({ database, schema, turn, hints, later = [] }: Described): Slot[] {
  const { table } = turn
  const rules = readRules(database, table.name)
  const taken = new Set<string>()
  const references: Slot[] = []
  for (const key of [...turn.found, ...turn.own, ...turn.ahead, ...turn.postponed]) {
    const columns = key.columns.filter((name) => !taken.has(name))
    for (const name of columns) taken.add(name)
    if (columns.length === 0) continue
    const empty = isOptional(table, key) ? emptied(table, key)(0, {}) : undefined
    references.push({
      columns,
      ordinary: waysToRefer({ database, schema, turn, key }),
      boundaries: [
        ...(empty === undefined ? [] : [{ cells: empty, listed: false }]),
        ...(hints === undefined ? [] : strangeKeys(table, columns, hints)),
        ...(turn.own.includes(key) ? keysOfFirstRows(table, key) : []),
      ],
      ruled: columns.some((name) => isRuled(rules, name)),
      compared: columns.some((name) => hints?.values.has(folded(name)) === true),
    })
  }
  const numbers = hints === undefined ? [] : numberSlots(table, hints)
  const own = table.columns.filter(({ name, generated }) => !generated && !taken.has(name))
  const slots = [
    ...own.map((column) => slotOf({ database, table, column, rules, later, hints })),
    ...references,
    ...numbers,
  ]
  return slots.map((slot) => (slot.columns.some(isAwaited) ? asAwaited(table, slot) : slot))

  function isAwaited(name: string): boolean {
    return turn.awaited.some((one) => isSameName(one, name))
  }
}

/** The numbers by which the script names rows of a table that has no column for them. */
function numberSlots(table: Table, { values }: Hints): Slot[] {
  const found = numberNames.flatMap((name) => [...(values.get(name)?.numbers ?? [])])
  const isFree = (name: string) =>
    columnNamed(table, name) === name && !table.columns.some((one) => isSameName(one.name, name))
  if (found.length === 0 || !isNumbered(table) || !numberNames.every(isFree)) return []
  const boundaries = found.map((number) => ({ cells: { rowid: String(number) }, listed: false }))
  const ordinary = [() => ({ rowid: "NULL" })]
  return [{ columns: ["rowid"], ordinary, boundaries, ruled: false, compared: true }]
}

function asAwaited(table: Table, slot: Slot): Slot {
  const known: Way = (row) =>
    Object.fromEntries(
      slot.columns.map((name) => [name, ordinaryValue(table, name, row) ?? "NULL"]),
    )
  return { ...slot, ordinary: [known], boundaries: [], ruled: false }
}

/** A row may have none, one or several children in its own table. */
function keysOfFirstRows(table: Table, { columns, parentColumns }: ForeignKey): Boundary[] {
  return [0, 1, 0].map((row) => ({
    cells: Object.fromEntries(
      columns.map((name, index) => [
        name,
        ordinaryValue(table, parentColumns[index] ?? "", row) ?? "NULL",
      ]),
    ),
    listed: false,
  }))
}

/** A key to no row, where nothing forbids that, and keys that the script names. */
function strangeKeys(table: Table, names: string[], hints: Hints): Boundary[] {
  return names.flatMap((name) => {
    const column = table.columns.find((one) => isSameName(one.name, name))
    if (column === undefined) return []
    const values = tellingValues({ table: table.name, column, rowid: false, hints })
    return values.map((sql) => ({ cells: { [name]: sql }, listed: false }))
  })
}

type OwnColumn = {
  database: ScratchDatabase
  table: Table
  column: Column
  rules: string[]
  later: string[]
  hints: Hints | undefined
}

function slotOf({ database, table, column, rules, later, hints }: OwnColumn): Slot {
  const { name, defaultValue } = column
  const literals = literalsFor([...rules, ...later], name)
  const rowid = isRowid(table, name)
  const values = valuesFor({ table: table.name, column, rowid, literals })
  const { ordinary, listed } = values
  const boundaries =
    hints === undefined
      ? values.boundaries
      : [
          // SQLite takes it in most primary keys, too.
          ...(column.notNull ? [] : ["NULL"]),
          ...tellingValues({ table: table.name, column, rowid, hints }),
        ]
  const more = [
    ...(isLiteral(defaultValue) ? [defaultValue] : []),
    ...(isNullable(table, name) ? ["NULL"] : []),
  ]
  const [first] = ordinary
  // Values repeat where they may, as they do in life: a later unique index has to meet that.
  const repeats = first !== undefined && !column.inPrimaryKey && hints === undefined
  const pairs = repeats ? [(row: number) => first(row >> 1)] : []
  const all = [...pairs, ...ordinary, ...[...listed, ...more].map((sql) => () => sql)]
  const keeps = keepsOwnChecks({ database, table, rules, column })
  const keepsLater = keepsOwnChecks({ database, table, rules: later, column })
  const kept = all.filter((value) => keeps(value(1)))
  const keptLater = kept.filter((value) => keepsLater(value(1)))
  const ways = [keptLater, kept, all].find((some) => some.length > 0) ?? all
  return {
    columns: [name],
    ordinary: ways.map((value) => (row) => ({ [name]: value(row) })),
    boundaries: [
      ...listed.filter(keeps).map((sql) => ({ cells: { [name]: sql }, listed: true })),
      ...[...new Set([...more, ...boundaries])]
        .filter(keeps)
        .map((sql) => ({ cells: { [name]: sql }, listed: false })),
    ],
    ruled: isRuled([...rules, ...later], name),
    compared: hints?.values.has(folded(name)) === true,
  }
}

function isLiteral(sql: string): boolean {
  return /^(?:-?\d+(?:\.\d+)?|'(?:[^']|'')*')$/.test(sql)
}

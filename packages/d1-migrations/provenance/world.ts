import { checksOf } from "../classification/checks.ts"
import { failureOf } from "../failure.ts"
import { keysNamed } from "../guard/named-rows.ts"
import { type ParsedStatement, parseScript } from "../lint/parsed-script.ts"
import { findTable, isSameName, quoteName, readSchema, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { closeCircles } from "../seed/close-circles.ts"
import { isRuled } from "../seed/rule-literals.ts"
import { slotsOf } from "../seed/slots.ts"
import { orderTables } from "../seed/table-order.ts"
import { type TellingRow, tellingRows } from "../seed/telling-rows.ts"
import { folded } from "../sql/folded.ts"
import { type Compared, type Hints, readHints } from "./hints.ts"

/** Rows on which a file is tried, and the database that they are put into. */
export type World = {
  /** Those that have them, or could not be given any. */
  tables: string[]
  rows: TellingRow[]
  /** The schema with some of the rows. */
  open(rows: TellingRow[]): ScratchDatabase
  /** A row of a table with some values that are given, and rows that refer to it. */
  rowsWith(table: string, values: Record<string, string>): TellingRow[]
  [Symbol.dispose](): void
}

type Made = {
  /** Tables of which the file takes or changes rows or keys: what refers to them has rows, too. */
  taken: string[]
  /** The schema, and rows that earlier files have put there. */
  database: ScratchDatabase
  statements: ParsedStatement[]
  /** Tables that the file reads or writes. */
  names: string[]
  /** The schema that the file leaves. */
  left: ScratchDatabase
}

/** Rows that conditions name by whole keys. */
const mostNamed = 12

/** Rows with several special values at once, where conditions may ask for them. */
const mixedRows = 24

export function makeWorld({ database, statements, names, taken, left }: Made): World {
  const written = database
    .texts("SELECT sql FROM sqlite_master WHERE type IN ('view', 'trigger')")
    .flatMap((sql) => parseScript(`${sql};`))
  const all = readSchema(database)
  const hints = readHints(
    [...statements, ...written].flatMap(({ node }) => node ?? []),
    all,
    readSchema(left),
  )
  const isTouched = ({ name }: Table) => names.some((one) => isSameName(one, name))
  const isTaken = ({ name }: Table) => taken.some((one) => isSameName(one, name))
  const schema = withCompared(related(all, all.filter(isTouched), isTaken), hints)
  const turns = orderTables(schema)
  const isAhead = turns.some(({ ahead }) => ahead.length > 0)
  const full = database.copy()
  if (isAhead) full.exec("PRAGMA foreign_keys = OFF")
  full.exec("BEGIN")
  const tables = turns.map((turn) => {
    const touched = isTouched(turn.table)
    const later = touched ? laterRules(turn.table, { database, left, hints }) : []
    const slots = slotsOf({ database: full, schema, turn, hints, later })
    // A condition on a reference asks for rows that it can refer to.
    const few = slots.map((slot) =>
      slot.columns.some((name) => isReferredTo(schema, turn.table, name))
        ? slot
        : { ...slot, boundaries: slot.boundaries.slice(0, 1) },
    )
    const mixed = touched ? mixedRows : 0
    const filling = {
      database: full,
      table: turn.table,
      slots: touched ? slots : few,
      mixed,
    }
    const { rows, rowWith } = tellingRows(filling)
    const named = touched
      ? statements.flatMap(({ node, sql }) => keysNamed(turn.table, node, sql))
      : []
    rows.push(...named.slice(0, mostNamed).flatMap((cells) => rowWith(cells)))
    return { table: turn.table, rows, rowWith }
  })
  const closing = turns.flatMap(closeCircles)
  for (const sql of closing) full.exec(sql)
  commitRows(full, schema)

  let last: { rows: TellingRow[]; filled: ScratchDatabase } | undefined
  return {
    tables: schema.map(({ name }) => name),
    rows: tables.flatMap(({ rows }) => rows),
    open(rows) {
      if (last?.rows === rows) return last.filled.copy()
      const world = database.copy()
      if (isAhead) world.exec("PRAGMA foreign_keys = OFF")
      world.exec("BEGIN")
      // SQLite refuses a row whose parent was left out: it is left out, too.
      for (const { sql } of rows) failureOf(() => world.exec(sql))
      for (const sql of closing) world.exec(sql)
      raiseSequences(world)
      commitRows(world, schema)
      world.exec("PRAGMA foreign_keys = ON")
      last?.filled[Symbol.dispose]()
      last = { rows, filled: world.copy() }
      return world
    },
    rowsWith(name, values) {
      const found = tables.find(({ table }) => isSameName(table.name, name))
      const [row] = found?.rowWith(values) ?? []
      if (row === undefined) return []
      const children = tables.flatMap(({ table, rowWith }) =>
        table.foreignKeys
          .filter(({ parent }) => isSameName(parent, name))
          .flatMap(({ columns, parentColumns }) => {
            const keys = parentColumns.map((key) => row.cells[key] ?? "NULL")
            const cells = Object.fromEntries(
              columns.map((one, index) => [one, keys[index] ?? "NULL"]),
            )
            // The row may have to do without them.
            return rowWith(cells, [...row.features, `${table.name} refers to it`])
          }),
      )
      return [row, ...children]
    },
    [Symbol.dispose]() {
      full[Symbol.dispose]()
      last?.filled[Symbol.dispose]()
    },
  }
}

type Later = { database: ScratchDatabase; left: ScratchDatabase; hints: Hints }

/** Checks that a table has when the file has run, and what the file reads as JSON or as dates. */
function laterRules({ name, columns }: Table, { database, left, hints }: Later): string[] {
  const known = new Set(checksOf(database, name))
  const checks = checksOf(left, name).filter((check) => !known.has(check))
  const now = findTable(readSchema(left), name)?.columns ?? []
  return [
    ...checks,
    // NULL keeps every check, and so it would be all that is left of a column that takes none.
    ...now.flatMap((one) =>
      one.notNull && isRuled(checks, one.name) ? [`${quoteName(one.name)} IS NOT NULL`] : [],
    ),
    ...columns.flatMap(({ name: column }) => {
      const condition = hints.read.get(folded(column))
      return condition === undefined ? [] : [condition.replaceAll("NAME", quoteName(column))]
    }),
  ]
}

function isReferredTo(schema: Table[], { name }: Table, column: string): boolean {
  return schema.some(({ foreignKeys }) =>
    foreignKeys.some(
      ({ parent, parentColumns }) => isSameName(parent, name) && parentColumns.includes(column),
    ),
  )
}

/** Of references that are deferred SQLite says only now that a parent was left out. */
function commitRows(database: ScratchDatabase, schema: Table[]): void {
  try {
    database.exec("COMMIT")
  } catch {
    const orphans = schema.flatMap(({ name, foreignKeys }) =>
      foreignKeys.map(({ columns, parent, parentColumns }) => {
        const [child, keys] = [
          quoteName(name),
          columns.map((one) => `${quoteName(name)}.${quoteName(one)}`),
        ]
        const same = keys.map((one, index) => `p.${quoteName(parentColumns[index] ?? "")} = ${one}`)
        const isSet = keys.map((one) => `${one} IS NOT NULL`)
        return `DELETE FROM ${child} WHERE ${isSet.join(" AND ")} AND NOT EXISTS (SELECT 1 FROM ${quoteName(parent)} AS p WHERE ${same.join(" AND ")})`
      }),
    )
    while (orphans.map((sql) => database.prepare(sql).run()).some((count) => count > 0));
    database.exec("COMMIT")
  }
}

/** As in a table whose last rows were deleted. */
function raiseSequences(database: ScratchDatabase): void {
  const known = database.rows("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'")
  if (known.length > 0) database.exec("UPDATE sqlite_sequence SET seq = seq + 1000")
}

/** Tables, what refers to those that are taken, and what all of them refer to, in any number of steps. */
function related(schema: Table[], some: Table[], isTaken: (table: Table) => boolean): Table[] {
  const byName = new Map(schema.map((table) => [folded(table.name), table]))
  const children = Map.groupBy(
    schema.flatMap((child) => child.foreignKeys.map(({ parent }) => ({ child, parent }))),
    ({ parent }) => folded(parent),
  )
  const found = new Set(some.filter(isTaken))
  for (const { name } of found) {
    for (const { child } of children.get(folded(name)) ?? []) found.add(child)
  }
  for (const table of some) found.add(table)
  for (const { foreignKeys } of found) {
    for (const { parent } of foreignKeys) {
      const table = byName.get(folded(parent))
      if (table !== undefined) found.add(table)
    }
  }
  return schema.filter((table) => found.has(table))
}

/** Columns that a condition compares have values in common, as if one referred to the other. */
function withCompared(schema: Table[], { equal }: Hints): Table[] {
  const extended = schema.map((table) => ({ ...table, foreignKeys: [...table.foreignKeys] }))
  const having = ({ tables, column }: Compared) =>
    extended.filter(
      ({ name, columns }) =>
        tables.some((one) => isSameName(one, name)) &&
        columns.some((one) => !one.generated && isSameName(one.name, column)),
    )
  for (const [one, other] of equal) {
    for (const first of having(one)) {
      for (const second of having(other)) {
        const turned = isKey(first, one.column) && !isKey(second, other.column)
        const [child, parent] = turned ? [second, first] : [first, second]
        const [column, key] = turned ? [other.column, one.column] : [one.column, other.column]
        const isKnown =
          child.foreignKeys.some(({ columns }) =>
            columns.some((name) => isSameName(name, column)),
          ) || parent.foreignKeys.some((known) => isSameName(known.parent, child.name))
        if (child === parent || isKnown) continue
        child.foreignKeys.push({
          columns: [nameIn(child, column)],
          parent: parent.name,
          parentColumns: [nameIn(parent, key)],
          onDelete: "NO ACTION",
          onUpdate: "NO ACTION",
        })
      }
    }
  }
  return extended
}

function nameIn({ columns }: Table, column: string): string {
  return columns.find(({ name }) => isSameName(name, column))?.name ?? column
}

/** Whether a column rather is what others refer to. */
function isKey({ columns }: Table, column: string): boolean {
  return columns.some(({ name, inPrimaryKey }) => inPrimaryKey && isSameName(name, column))
}

/** For each unique key of a table its values now: what a file writes may meet them. */
export function keysOf(
  database: ScratchDatabase,
  { name, uniques }: Table,
): Map<string, string[][]> {
  return new Map(
    uniques.map((columns) => {
      const list = columns.map((column, index) => `quote(${quoteName(column)}) AS k${index}`)
      const rows = database.rows(`SELECT ${list.join(", ")} FROM ${quoteName(name)}`)
      return [columns.join("\n"), rows.map((row) => Object.values(row).map(String))]
    }),
  )
}

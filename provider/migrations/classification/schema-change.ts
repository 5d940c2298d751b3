import { readIndexes } from "../provenance/parts.ts"
import {
  type Column,
  findTable,
  type ForeignKey,
  isSameName,
  readDefinitions,
  readSchema,
  type Table,
} from "../rehearsal/schema.ts"
import type { ScratchDatabase } from "../rehearsal/scratch-database.ts"
import { checksOf } from "./checks.ts"

/** What a version that uses the table cannot work with: it fails, whatever the rows are. */
export type Break =
  | { kind: "table" | "view"; table: string }
  | { kind: "column"; table: string; column: string }
  /** New, NOT NULL and without a default: an INSERT that does not know it fails. */
  | { kind: "required"; table: string; column: string }

/** A new rule for a table that was there before: rows or writes of before may violate it. */
export type Tightening = {
  kind: "not null" | "unique" | "check" | "reference"
  table: string
  /** Columns, or the condition of a check. */
  detail: string
  /** None for a check, as it is not known which those are. */
  columns: string[]
}

export type SchemaChange = { breaks: Break[]; tightens: Tightening[] }

/** Compares by name: a table that was rebuilt under its name with the same columns is the same. */
export function compareSchemas(before: ScratchDatabase, after: ScratchDatabase): SchemaChange {
  const now = readSchema(after)
  const pairs = readSchema(before).map((was) => ({ was, is: findTable(now, was.name) }))
  const views = viewsOf(after)
  const lostViews = viewsOf(before).filter((name) => !views.includes(name))
  return {
    breaks: [
      ...pairs.flatMap(({ was, is }) => breaksOf(was, is)),
      ...lostViews.map((table) => ({ kind: "view" as const, table })),
    ],
    tightens: pairs.flatMap(({ was, is }) =>
      is === undefined ? [] : tighteningsOf({ before, after, was, is }),
    ),
  }
}

function breaksOf(was: Table, is: Table | undefined): Break[] {
  const table = was.name
  if (is === undefined) return [{ kind: "table", table }]
  const gone = was.columns.filter((column) => columnOf(is, column.name) === undefined)
  const required = is.columns.filter(
    (column) => isRequired(column) && columnOf(was, column.name) === undefined,
  )
  return [
    ...gone.map(({ name }) => ({ kind: "column" as const, table, column: name })),
    ...required.map(({ name }) => ({ kind: "required" as const, table, column: name })),
  ]
}

type Rule = Pick<Tightening, "detail" | "columns">

type Pair = { before: ScratchDatabase; after: ScratchDatabase; was: Table; is: Table }

function tighteningsOf({ before, after, was, is }: Pair): Tightening[] {
  const table = is.name
  const added = (kind: Tightening["kind"], now: Rule[], then: Rule[]) =>
    now
      .filter(({ detail }) => then.every((one) => one.detail !== detail))
      .map(({ detail, columns }) => ({ kind, table, detail, columns }))
  const notNull = is.columns
    .filter(({ name, notNull: now }) => now && columnOf(was, name)?.notNull === false)
    .map(({ name }) => ({ detail: name, columns: [name] }))
  const conditions = (database: ScratchDatabase, { name }: Table) =>
    checksOf(database, name).map((detail) => ({ detail, columns: [] }))
  return [
    ...added("not null", notNull, []),
    ...added("unique", uniqueKeysOf(after, is), uniqueKeysOf(before, was)),
    ...added("check", conditions(after, is), conditions(before, was)),
    ...added("reference", is.foreignKeys.map(referenceOf), was.foreignKeys.map(referenceOf)),
  ]
}

function isRequired({ notNull, hasDefault, generated }: Column): boolean {
  return notNull && !hasDefault && !generated
}

function columnOf({ columns }: Table, name: string): Column | undefined {
  return columns.find((column) => isSameName(column.name, name))
}

function referenceOf({ columns, parent }: ForeignKey): Rule {
  return { detail: `${columns.join(", ")} → ${parent}`.toLowerCase(), columns }
}

/** The columns of each unique index and constraint, primary keys included. */
function uniqueKeysOf(database: ScratchDatabase, { name }: Table): Rule[] {
  return readIndexes(database, name).flatMap(({ unique, partial, parts }) => {
    if (!unique) return []
    const columns = parts.map((one) => one.name ?? "an expression")
    const list = columns.join(", ").toLowerCase()
    return [{ detail: `${list}${partial ? " of some rows" : ""}`, columns }]
  })
}

function viewsOf(database: ScratchDatabase): string[] {
  return readDefinitions(database).flatMap(({ type, name }) => (type === "view" ? name : []))
}

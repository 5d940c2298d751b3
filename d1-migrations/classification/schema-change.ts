import { readIndexes } from "../provenance/parts.ts"
import { type Misfit, misfitsOf, namesOf } from "../schema/misfits.ts"
import {
  type Column,
  findTable,
  type ForeignKey,
  isSameName,
  readDefinitions,
  readSchema,
  type Table,
} from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { checksOf } from "./checks.ts"

/** What a version that uses the table cannot work with: it fails, whatever the rows are. */
export type Break = Misfit | { kind: "view"; table: string }

/** A new rule for a table that was there before: rows or writes of before may violate it. */
export type Tightening = {
  kind: "not null" | "unique" | "check" | "reference"
  table: string
  /** Columns, or the condition of a check. */
  detail: string
  /** None for a check, as it is not known which those are. */
  columns: string[]
}

/** Compares by name: a table that was rebuilt under its name with the same columns is the same. */
export function compareSchemas(
  before: ScratchDatabase,
  after: ScratchDatabase,
): { breaks: Break[]; tightens: Tightening[] } {
  const [then, now] = [readSchema(before), readSchema(after)]
  const views = viewsOf(after)
  const lostViews = viewsOf(before).filter((name) => !views.includes(name))
  return {
    breaks: [
      ...misfitsOf(namesOf(then), now),
      ...lostViews.map((table) => ({ kind: "view" as const, table })),
    ],
    tightens: then.flatMap((was) => {
      const is = findTable(now, was.name)
      return is === undefined ? [] : tighteningsOf({ before, after, was, is })
    }),
  }
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

import type { Operation, LostPart, Analysis, Step } from "../analysis/analysis.ts"
import { declaredName } from "../files/declarations.ts"
import { namedRows } from "../guard/named-rows.ts"
import { movedDistance, movedPrefix } from "../safe-rebuild/moved-keys.ts"
import type { LiveTable } from "../schema/live-tables.ts"
import { isSameName, type Table } from "../schema/schema.ts"

/** What a file may take or change of what a database holds, by its statements alone. */
export type Loss = {
  kind: "row" | "repeat" | "value" | "change" | "link" | "part"
  table: string
  column?: string | undefined
  statement: number
  message: string
  /** What to do instead. */
  instead: string
  /** Lines that declare it, without their reasons; none where nothing does. */
  lines: string[]
  /** Whether it comes true as soon as there is a row, or a value. */
  isCertain: boolean
  /** Whether foreign keys or triggers do it. */
  byReference?: boolean
  part?: LostPart
  /** Columns of a table that goes, which may all be declared one by one. */
  columns?: string[]
  /** Whether earlier files have written the rows that the statement names. */
  isSeeded?: boolean
}

/** An error would lose rows or fail on D1; a warning wants a look. */
export type Level = "error" | "warning"

export type RuleFinding = {
  step: Step
  /** Position in the statement of what is wrong; its start by default. */
  at?: number
  level: Level
  message: string
  /** What to write instead. */
  rewrite: string
  /** What a declaration in the file makes a warning. */
  loss?: Loss
  /** A table whose declared loss makes it a warning. */
  unjudged?: string
}

/** A file on the schema that it finds. */
export type Judged = { analysis: Analysis; losses: Loss[]; unseen: RuleFinding[] }

export type Rule = {
  name: string
  find(judged: Judged): RuleFinding[]
}

/** A script before this one, in which a column may have been copied. */
export type Earlier = { sql: string }

export type Context = {
  analysis: Analysis
  earlier: Earlier[]
  isSeeded: (table: Table, condition: string) => boolean
}

/** Of rows of a table; `more` has what is otherwise. */
export function rowLoss(
  { name }: Table,
  statement: number,
  message: string,
  overrides: Partial<Loss> = {},
): Loss {
  const instead = "Copy every row whole before, or leave the table."
  const lines = [`loses ${declaredName(name)}, at most N rows`]
  const usual = { kind: "row", table: name, statement, message, instead, lines } as const
  return { ...usual, isCertain: false, ...overrides }
}

/** Of values of a column. */
export function valueLoss(
  { name: table }: Table,
  column: string,
  statement: number,
  overrides: Partial<Loss>,
): Loss {
  const name = declaredName(table, column)
  const { kind = "value" } = overrides
  const line =
    kind === "link"
      ? `empties ${name}, at most N rows`
      : `${kind === "change" ? "changes" : "loses"} ${name}`
  const message = `${table}.${column} loses its values`
  const instead = "Keep its values in a column."
  const usual = { kind, table, column, statement, message, instead, lines: [line] }
  return { ...usual, isCertain: false, ...overrides }
}

export function columnNameOf(table: Table, column: string): string {
  return table.columns.find(({ name }) => isSameName(name, column))?.name ?? column
}

export function isNamedSeed(
  { analysis, isSeeded }: Context,
  table: Table,
  operation: Operation,
): boolean {
  const step = analysis.steps[operation.number - 1]
  const liveTable = analysis.tables.findByOriginalName(table.name)
  if (step === undefined || liveTable !== operation.table) return false
  const condition = namedRows(table, [step])
  return condition !== undefined && condition !== "0" && isSeeded(table, condition)
}

/** Whether the rows that a table loses at a statement were copied whole before, and come back after it. */
export function isPutBack(analysis: Analysis, table: Table, at: number): boolean {
  const liveTable = analysis.tables.findByOriginalName(table.name)
  const copies = copiesFrom(analysis, liveTable)
  const saved = copies.filter(
    ({ number, arm, table: into }) =>
      number < at &&
      arm.limit === undefined &&
      liveTable !== undefined &&
      arm.tables.includes(liveTable) &&
      into !== liveTable,
  )
  return copies.some(
    ({ number, arm, table: into, conflict }) =>
      number > at &&
      arm.limit === undefined &&
      conflict === undefined &&
      into === liveTable &&
      saved.some((savedCopy) => arm.tables.includes(savedCopy.table)),
  )
}

/** Copies of a table's rows, and of those copies. */
export function copiesFrom({ operations }: Analysis, liveTable: LiveTable | undefined) {
  const tables = new Set(liveTable === undefined ? [] : [liveTable])
  return operations.flatMap((operation) => {
    if (operation.does !== "copy" || !operation.arm.tables.some((table) => tables.has(table))) {
      return []
    }
    tables.add(operation.table)
    return [operation]
  })
}

/** A file that rebuilds a parent as `fix` writes it takes back what follows the keys that it moves away. */
export function isTakenBack(
  { operations, steps }: Analysis,
  table: LiveTable | undefined,
  column: string,
): boolean {
  const isMoved = steps.some(
    ({ sql }) => sql.includes(`'${movedPrefix}' ||`) || sql.includes(`- ${movedDistance}`),
  )
  return (
    isMoved &&
    operations.some((operation) => {
      const back =
        operation.does === "update" &&
        operation.table === table &&
        operation.sets.some((set) => isSameName(set.column, column))
      const sql = steps[operation.number - 1]?.sql ?? ""
      return (
        back && (sql.includes(`, ${movedPrefix.length + 1})`) || sql.includes(`+ ${movedDistance}`))
      )
    })
  )
}

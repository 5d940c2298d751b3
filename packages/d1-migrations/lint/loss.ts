import type { LostPart, Analysis, Operation } from "../analysis/analysis.ts"
import { declaredName } from "../files/declarations.ts"
import { namedRows } from "../guard/named-rows.ts"
import { movedDistance, movedPrefix } from "../safe-rebuild/moved-keys.ts"
import type { LiveTable } from "../schema/live-tables.ts"
import { isSameName, type Table } from "../schema/schema.ts"

/** A row, value or part that a file may lose or change, as its statements and the schema show. */
export type Loss = {
  kind: "row" | "repeat" | "value" | "change" | "link" | "part"
  table: string
  column?: string | undefined
  statement: number
  message: string
  /** Advice to avoid the loss. */
  instead: string
  /** The lines that declare the loss, without reasons; empty if it cannot be declared. */
  lines: string[]
  /** Whether the loss occurs for any existing row or value. */
  isCertain: boolean
  /** Whether a foreign key or trigger causes the loss. */
  byReference?: boolean
  part?: LostPart
  /** The columns of a lost table, which may instead be declared one by one. */
  columns?: string[]
  /** Whether earlier files inserted the rows that the statement names. */
  isSeeded?: boolean
}

export type Context = {
  analysis: Analysis
  /** Returns whether a condition on a table selects a row that earlier files inserted. */
  isSeeded: (table: Table, condition: string) => boolean
}

/** The start and end of the line that declares a kind of loss, and how to avoid it. */
const usual = {
  row: ["loses", ", at most N rows", "Copy every row whole before, or leave the table."],
  repeat: ["repeats", ", at most N rows", "Insert only what is not there yet."],
  value: ["loses", "", "Keep its values in a column."],
  change: ["changes", "", "Keep its values in a column."],
  link: ["empties", ", at most N rows", "Keep its values in a column."],
} as const

type Subject = { kind: keyof typeof usual; table: Table; column?: string; statement: number }

export function lossOf(
  { kind, table: { name: table }, column, statement }: Subject,
  message: string,
  overrides: Partial<Loss> = {},
): Loss {
  const [does, bound, instead] = usual[kind]
  const subject = declaredName(table, ...(column === undefined ? [] : [column]))
  const lines = [`${does} ${subject}${bound}`]
  const loss = { kind, table, column, statement, message, instead, lines, isCertain: false }
  return { ...loss, ...overrides }
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

/** Returns whether the rows that a statement removes were completely copied before it and are restored after it. */
export function isPutBack(analysis: Analysis, live: LiveTable, at: number): boolean {
  const copies = copiesFrom(analysis, live).filter(({ arm }) => arm.limit === undefined)
  const saved = copies.filter(
    ({ number, arm, table }) => number < at && arm.tables.includes(live) && table !== live,
  )
  return copies.some(
    ({ number, arm, table, conflict }) =>
      number > at &&
      conflict === undefined &&
      table === live &&
      saved.some((copy) => arm.tables.includes(copy.table)),
  )
}

/** Returns the copies of a table's rows, including copies of copies. */
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

/** Returns whether the file restores a column that follows moved keys, as in a rebuild that `fix` has written. */
export function isTakenBack({ operations, steps }: Analysis, table: LiveTable, column: string) {
  const has = (sql: string, ofText: string, ofNumber: string) =>
    sql.includes(ofText) || sql.includes(`${ofNumber} ${movedDistance}`)
  if (!steps.some(({ sql }) => has(sql, `'${movedPrefix}' ||`, "-"))) return false
  return operations.some(
    (operation) =>
      operation.does === "update" &&
      operation.table === table &&
      operation.sets.some((set) => isSameName(set.column, column)) &&
      has(steps[operation.number - 1]?.sql ?? "", `, ${movedPrefix.length + 1})`, "+"),
  )
}

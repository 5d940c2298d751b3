import { type Column, isRowid, isSameName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import { literal } from "../sql/literal.ts"
import type { Literals } from "./rule-literals.ts"

/** SQL of a value for the row with this number, from 0. */
type Variant = (row: number) => string

export type ColumnValues = {
  /** Ways to fill the column in an ordinary row, the most telling one first. */
  ordinary: Variant[]
  /** Values of its type that stand in checks and triggers. */
  listed: string[]
  /** Values at the ends of what the type takes. */
  boundaries: string[]
}

type Described = { table: string; column: Column; rowid: boolean; literals: Literals }

/** By SQLite's rules of affinity (sqlite.org/datatype3.html, 3.1). */
export function valuesFor(described: Described): ColumnValues {
  const { type, name } = described.column
  if (/INT/.test(type)) return integers(described)
  if (/CHAR|CLOB|TEXT/.test(type)) return texts(described)
  if (/REAL|FLOA|DOUB/.test(type)) return reals(described)
  if (type === "" || /BLOB|ANY/.test(type)) return blobs(described)
  const whole = integers(described)
  if (isDate(`${name} ${type}`)) return merge(texts(described), whole)
  return { ...whole, boundaries: [...whole.boundaries, "0.1", "-1.5"] }
}

function merge(one: ColumnValues, other: ColumnValues): ColumnValues {
  return {
    ordinary: [...one.ordinary, ...other.ordinary],
    listed: [...one.listed, ...other.listed],
    boundaries: [...one.boundaries, ...other.boundaries],
  }
}

/**
 * The largest integer that D1's API reads and writes: JavaScript has no larger one
 * (developers.cloudflare.com/d1/worker-api/#type-conversion).
 */
const largest = Number.MAX_SAFE_INTEGER
/** The last date of JavaScript in milliseconds. */
const lastDate = 8_640_000_000_000_000

/** Far from what other columns have, so that a value shows where it came from. */
export function startOf({ table, column }: Pick<Described, "table" | "column">): number {
  let sum = 7
  for (const character of folded(`${table}.${column.name}`)) {
    sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 90_007
  }
  return (sum + 10) * 10_000
}

function integers(described: Described): ColumnValues {
  const { column, rowid, literals } = described
  const start = startOf(described)
  const ordinary: Variant[] = [
    (row) => String(start + row),
    (row) => String(row + 1),
    () => "0",
    () => "1",
  ]
  const listed = literals.numbers.map(String)
  // Rows that are inserted later count on from the largest one.
  if (rowid) return { ordinary, listed, boundaries: ["0", "-1", "2147483648"] }
  if (!isDate(column.name)) {
    return { ordinary, listed, boundaries: ["0", "-1", String(largest), String(-largest)] }
  }
  const day: Variant = (row) => String(1_700_000_000_000 + start + row * 60_000)
  // In milliseconds and in seconds: which of them a column holds, the schema does not say.
  const dates = ["0", String(lastDate), String(-lastDate), "253402300799", "-62135596800"]
  return { ordinary: [day, ...ordinary], listed, boundaries: dates }
}

const longText = "long ".repeat(2000)
const strange = [
  "",
  " ",
  longText,
  "Zoë 🦄 日本語 \u202E‮עברית e\u0301",
  `it's "quoted"; -- /* \\ %_ \n\t`,
  "NULL",
  "007",
]
const textDates = ["0001-01-01", "9999-12-31T23:59:59.999Z", "2024-02-29 00:00:00"]

function texts({ table, column, literals }: Described): ColumnValues {
  const { name } = column
  const ordinary: Variant[] = [
    (row) => literal(`${table} ${name} ${row}`),
    // Digits are valid JSON, too.
    (row) => literal(String(row + 1)),
    (row) => literal(`{"row":${row}}`),
    (row) => literal(`row-${row}@example.com`),
    (row) => literal(new Date(1_700_000_000_000 + row * 60_000).toISOString()),
    (row) => literal(new Date(1_700_000_000_000 + row * 86_400_000).toISOString().slice(0, 10)),
    // A rule may ask for a length.
    ...literals.numbers
      .filter((length) => length > 0 && length < 1000)
      .map((length) => (row: number) => literal(row.toString(36).padStart(length, "0"))),
  ]
  const dates = isDate(`${name} ${column.type}`) ? textDates : []
  const boundaries = [...strange, ...dates].map(literal)
  return { ordinary, listed: literals.texts, boundaries }
}

const realEnds = ["0.0", "-1.5", "1.7976931348623157e308", "-1.7976931348623157e308", "5e-324"]

function reals({ literals, ...described }: Described): ColumnValues {
  const start = startOf(described)
  const ordinary: Variant[] = [(row) => `${start + row}.25`, (row) => `${row}.25`, () => "0.0"]
  return { ordinary, listed: literals.numbers.map(String), boundaries: realEnds }
}

function blobs(described: Described): ColumnValues {
  const { column, literals } = described
  const bytes: Variant = (row) => `x'ff${(startOf(described) + row).toString(16).padStart(8, "0")}'`
  const boundaries = ["x''", "x'00ff'", `x'${"00ff".repeat(2000)}'`]
  if (/BLOB/.test(column.type)) return { ordinary: [bytes], listed: [], boundaries }
  const listed = [...literals.texts, ...literals.numbers.map(String)]
  const number: Variant = (row) => String(row + 1)
  return {
    ordinary: [bytes, number],
    listed,
    boundaries: [...boundaries, "0", "-1.5", "''", "'text'"],
  }
}

function isDate(name: string): boolean {
  return /(^|[_\s])(at|on|since|until|from|to|date|day|time|datetime|timestamp|expires|expiry|period)($|[_\s])/i.test(
    name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_"),
  )
}

/** What an ordinary row has in a column that no rule speaks of: another value in each. */
export function ordinaryValue(table: Table, name: string, row: number): string | undefined {
  const column = table.columns.find((one) => isSameName(one.name, name))
  if (column === undefined) return undefined
  const literals = { texts: [], numbers: [] }
  const rowid = isRowid(table, name)
  return valuesFor({ table: table.name, column, rowid, literals }).ordinary[0]?.(row)
}

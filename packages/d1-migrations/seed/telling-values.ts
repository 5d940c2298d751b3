import type { Hints } from "../provenance/hints.ts"
import { type Column, numberNames } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import { literal } from "../sql/literal.ts"
import { startOf, valuesFor } from "./column-values.ts"

type Told = { table: string; column: Column; rowid: boolean; hints: Hints }

/** Odd, and above what JavaScript's and SQLite's floating point numbers tell apart. */
const large = 9_007_199_254_740_993n

/**
 * SQL of values that show what a script does to a column: those of the first rows again and changed
 * a little, what types convert, and both sides of each value that the script compares it with.
 */
export function tellingValues({ table, column, rowid, hints }: Told): string[] {
  const described = { table, column, rowid, literals: { texts: [], numbers: [] } }
  const [first = () => "NULL"] = valuesFor(described).ordinary
  const names = rowid ? [column.name, ...numberNames] : [column.name]
  const [known] = names.flatMap((name) => hints.values.get(folded(name)) ?? [])
  const texts = [...(known?.texts ?? [])]
  const numbers = [...(known?.numbers ?? [])].filter(Number.isFinite)
  const around = numbers.flatMap((one) => [one - 1, one, one + 1])
  const members = [...(known?.members ?? [])].flatMap((path) =>
    [...texts.map((text) => JSON.stringify(text)), ...numbers.map(String), '"some"'].map((value) =>
      literal(nested(path.split("."), value)),
    ),
  )
  const hinted = [
    ...texts.flatMap((text) => [text, text.toUpperCase(), text.toLowerCase(), `a ${text} b`]),
    ...lengths(numbers).map((length) => "k".repeat(length)),
  ]
  const blobs = known?.blobs ?? []
  const own = [first(0), ...around.map(asNumber), ...hinted.map(literal), ...members, ...blobs]
  // Of each column others, so that one shows where it came from.
  const mark = startOf(described) / 10_000
  const whole = String(large + 2n * BigInt(mark))
  const isText = /CHAR|CLOB|TEXT/.test(column.type)
  if (rowid) return [...own, "-1", whole]
  if (isText) return [...new Set([...own, ...likeText(first(0), mark)])]
  const anything = column.type === "" || /BLOB|ANY/.test(column.type)
  const more = anything ? [`x'00ff${String(mark).padStart(6, "0")}'`, `'00${mark}'`] : []
  return [
    ...new Set([...own, "0", "1", `-${mark}`, `-${mark}.54321`, whole, `'text ${mark}'`, ...more]),
  ]
}

function likeText(own: string, mark: number): string[] {
  return [
    own.toUpperCase(),
    own.replace(/^'(.*)'$/s, "'  $1 '"),
    own.replace(/^'(.*)'$/s, "'$1 more'"),
    // In capitals, too, though no other row has it in lower case.
    own.replace(/^'(.*)'$/s, "'Another $1'"),
    "''",
    `'00${mark}'`,
    `'${mark}e3'`,
    `'É ß ${mark}'`,
  ]
}

function asNumber(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString() : String(value)
}

/** A length may be what is compared. */
function lengths(numbers: number[]): number[] {
  return numbers.flatMap((one) => {
    if (!Number.isInteger(one) || one < 0 || one > 300) return []
    return one === 0 ? [0, 1] : [one - 1, one, one + 1]
  })
}

function nested([first = "", ...rest]: string[], value: string): string {
  const inner = rest.length === 0 ? value : nested(rest, value)
  return `{${JSON.stringify(first)}:${inner}}`
}

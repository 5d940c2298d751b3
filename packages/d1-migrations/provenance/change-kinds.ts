import { empty, type HeldTable } from "./held-tables.ts"
import { isTidied } from "./same-rows.ts"

export type ChangeKind =
  /** The whole row is nowhere. */
  | "row"
  /** The whole row is there more often than before. */
  | "repeat"
  /** The value is nowhere, though the rest of the row is. */
  | "value"
  /** A reference has no value any more. */
  | "link"
  /** Another value stands there that was made of this one. */
  | "change"
  /** The same, but trimmed, in lower case, or in place of NULL. */
  | "tidied"

type Changing = {
  held: HeldTable
  index: number
  rows: number[]
  after: (row: number) => string | undefined
}

/** What happened to values of one column: not to one alone, as a constant is made of none of them. */
export function kindsOf({ held, index, rows, after }: Changing): (row: number) => ChangeKind {
  const others = new Set(
    held.rows.flatMap(({ cells }) =>
      cells.filter((value, column) => column !== index && value.length > 12),
    ),
  )
  const own = new Map(held.rows.map(({ cells }, row) => [cells[index] ?? empty, row]))
  const results = rows.flatMap((row) => after(row) ?? [])
  const distinct = new Set(results).size
  const sources = new Set(rows.map((row) => held.rows[row]?.cells[index])).size
  return (row) => {
    const [was, is] = [held.rows[row]?.cells[index] ?? empty, after(row)]
    if (is === undefined) return "value"
    if (is === empty) return held.references.has(index) ? "link" : "value"
    if (isTidied(was, is)) return "tidied"
    if (isOfBlanks(was, is)) return "change"
    if (others.has(is) || (own.has(is) && own.get(is) !== row)) return "value"
    return distinct > 1 && distinct * 2 > sources ? "change" : "value"
  }
}

/** Whether texts differ in the blanks around them alone, of which some are left: rtrim, or one blank more. */
function isOfBlanks(was: string, is: string): boolean {
  const [before, now] = [was, is].map((value) => value.replace(/^string /, "").trim())
  return was.startsWith("string ") && is.startsWith("string ") && before === now
}

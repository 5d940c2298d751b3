import { commentsOf } from "./statements.ts"

/** What the author of a file says that it does on purpose, in a comment on a line of its own. */
export type Declaration = {
  line: number
  reason: string
} & (
  | { does: "loses"; table: string; atMost: number }
  | { does: "empties"; table: string; column: string; atMost: number }
  | { does: "changes"; table: string; column: string }
)

const forms = {
  loses: "-- accounts:loses TABLE, at most N rows: REASON",
  empties: "-- accounts:empties TABLE.COLUMN, at most N rows: REASON",
  changes: "-- accounts:changes TABLE.COLUMN: REASON",
}

const meant = /^(?:--|\/\*)\s*accounts\s*:/i
const name = String.raw`[A-Za-z_][\w$]*`
const bound = String.raw`(?:at most (\d{1,12}) rows?|(all) rows)`
const loses = new RegExp(`^-- accounts:loses (${name}), ${bound}: (.+)$`)
const empties = new RegExp(`^-- accounts:empties (${name})\\.(${name}), ${bound}: (.+)$`)
const changes = new RegExp(`^-- accounts:changes (${name})\\.(${name}): (.+)$`)

/** Characters; shorter ones say nothing to who reads them in a year. */
const shortestReason = 10

/**
 * The declarations of a file. What begins like one must be one.
 * @throws Error naming the line of a comment that is nearly one
 */
export function readDeclarations(sql: string): Declaration[] {
  if (!/accounts\s*:/i.test(sql)) return []
  const comments = commentsOf(sql).filter(({ text }) => meant.test(text))
  const found = comments.map(({ line, text }) => parse(line, text.trimEnd()))
  for (const [index, one] of found.entries()) {
    const former = found.slice(0, index).find((other) => subjectOf(other) === subjectOf(one))
    if (former === undefined) continue
    throw new Error(`line ${one.line} says again what line ${former.line} says: keep one of them`)
  }
  return found
}

function parse(line: number, text: string): Declaration {
  const declared = parseForm(line, text)
  if (declared === undefined) {
    const known = Object.values(forms).join(", ")
    throw new Error(`line ${line}: "${text}" is no declaration. Write one of: ${known}`)
  }
  if (declared.reason.trim().length >= shortestReason) return declared
  throw new Error(`line ${line}: "${declared.reason}" is no reason that a reader could follow`)
}

function parseForm(line: number, text: string): Declaration | undefined {
  const [, lost, lostRows, lostAll, why = ""] = loses.exec(text) ?? []
  if (lost !== undefined) {
    const atMost = lostAll === undefined ? Number(lostRows) : Number.MAX_SAFE_INTEGER
    return { line, does: "loses", table: lost, atMost, reason: why }
  }
  const [, table, column = "", rows, all, reason = ""] = empties.exec(text) ?? []
  if (table !== undefined) {
    const atMost = all === undefined ? Number(rows) : Number.MAX_SAFE_INTEGER
    return { line, does: "empties", table, column, atMost, reason }
  }
  const [, changed, part = "", because = ""] = changes.exec(text) ?? []
  if (changed === undefined) return undefined
  return { line, does: "changes", table: changed, column: part, reason: because }
}

/** As in `loses session` and `changes user.email`. */
export function subjectOf(one: Declaration): string {
  const subject = one.does === "loses" ? one.table : `${one.table}.${one.column}`
  return `${one.does} ${subject}`.toLowerCase()
}

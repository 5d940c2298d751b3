import { commentsOf } from "./statements.ts"

/** What the author of a file says that it does on purpose, in a comment on a line of its own. */
export type Declaration = {
  line: number
  reason: string
} & (
  | { does: "loses"; table: string; atMost: number }
  | { does: "loses values"; table: string; column: string; atMost: number }
  | { does: "loses part"; kind: PartKind; name: string; table: undefined }
  | { does: "empties"; table: string; column: string; atMost: number }
  | { does: "changes"; table: string; column: string }
)

const kinds = [
  "index",
  "trigger",
  "view",
  "unique",
  "reference",
  "check",
  "collation",
  "default",
] as const
type PartKind = (typeof kinds)[number]

const forms = [
  "-- accounts:loses TABLE, at most N rows: REASON",
  "-- accounts:loses TABLE.COLUMN: REASON",
  "-- accounts:empties TABLE.COLUMN, at most N rows: REASON",
  "-- accounts:changes TABLE.COLUMN: REASON",
  `-- accounts:loses ${kinds.join("|")} NAME: REASON`,
]

const meant = /^(?:--|\/\*)\s*accounts\s*:/i
/** With a blank, dot, comma or colon in it a name stands in quotes, as in SQL. */
const name = String.raw`(?:"(?:[^"]|"")+"|[^\s.,:"]+)`
const bound = String.raw`, (?:at most (\d{1,12}) rows?|(all) rows)`
const rows = new RegExp(`^-- accounts:loses (${name})${bound}: (.+)$`)
const values = new RegExp(`^-- accounts:loses (${name})\\.(${name})(?:${bound})?: (.+)$`)
const part = new RegExp(`^-- accounts:loses (${kinds.join("|")}) (${name}|[^\\s:"]+): (.+)$`)
const empties = new RegExp(`^-- accounts:empties (${name})\\.(${name})${bound}: (.+)$`)
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
    throw new Error(`line ${line}: "${text}" is no declaration. Write one of: ${forms.join(", ")}`)
  }
  if (declared.reason.trim().length >= shortestReason) return declared
  throw new Error(`line ${line}: "${declared.reason}" is no reason that a reader could follow`)
}

function parseForm(line: number, text: string): Declaration | undefined {
  const [, table, count, , why = ""] = rows.exec(text) ?? []
  if (table !== undefined) {
    return { line, does: "loses", table: plain(table), atMost: boundOf(count), reason: why }
  }
  const [, found, own = "", because = ""] = part.exec(text) ?? []
  const kind = kinds.find((one) => one === found)
  if (kind !== undefined) {
    return { line, does: "loses part", kind, name: plain(own), table: undefined, reason: because }
  }
  const [, lost, lostColumn = "", lostCount, , lostWhy = ""] = values.exec(text) ?? []
  if (lost !== undefined) {
    const subject = { table: plain(lost), column: plain(lostColumn) }
    return { line, does: "loses values", ...subject, atMost: boundOf(lostCount), reason: lostWhy }
  }
  const [, emptied, column = "", most, , reason = ""] = empties.exec(text) ?? []
  if (emptied !== undefined) {
    const subject = { table: plain(emptied), column: plain(column) }
    return { line, does: "empties", ...subject, atMost: boundOf(most), reason }
  }
  const [, changed, changedColumn = "", changedWhy = ""] = changes.exec(text) ?? []
  if (changed === undefined) return undefined
  const subject = { table: plain(changed), column: plain(changedColumn) }
  return { line, does: "changes", ...subject, reason: changedWhy }
}

function boundOf(count: string | undefined): number {
  return count === undefined ? Number.MAX_SAFE_INTEGER : Number(count)
}

function plain(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text
}

/** As in `loses session` and `changes user.email`. */
function subjectOf(one: Declaration): string {
  if (one.does === "loses part") return `loses ${one.kind} ${one.name}`.toLowerCase()
  const subject = one.does === "loses" ? one.table : `${one.table}.${one.column}`
  return `${one.does} ${subject}`.toLowerCase()
}

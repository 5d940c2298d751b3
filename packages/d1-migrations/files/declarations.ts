import type { Names } from "../names.ts"
import { folded } from "../sql/folded.ts"
import { commentsOf } from "../sql/statements.ts"

/** An intended effect of a file, declared by its author in a comment on its own line. */
export type Declaration = {
  line: number
  reason: string
} & (
  | { does: "loses" | "repeats"; table: string; atMost: number }
  | { does: "loses values"; table: string; column: string; atMost: number }
  | { does: "loses part"; kind: PartKind; name: string; table: undefined }
  | { does: "empties"; table: string; column: string; atMost: number }
  | { does: "changes"; table: string; column: string }
  | { does: "moves"; table: string; to: { table: string } }
  | { does: "moves values"; table: string; column: string; to: { table: string; column: string } }
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
  "sequence",
] as const
type PartKind = (typeof kinds)[number]

const forms = [
  "loses TABLE, at most N rows",
  "loses TABLE, all rows",
  "repeats TABLE, at most N rows",
  "loses TABLE.COLUMN",
  "loses TABLE.COLUMN, at most N rows",
  "empties TABLE.COLUMN, at most N rows",
  "changes TABLE.COLUMN",
  "moves TABLE to TABLE",
  "moves TABLE.COLUMN to TABLE.COLUMN",
  `loses ${kinds.join("|")} NAME`,
]

/** A name with a blank, dot, comma or colon needs quotes, as in SQL. */
const name = String.raw`(?:"(?:[^"]|"")+"|[^\s.,:"]+)`
const subjectPattern = `(?:(?<kind>${kinds.join("|")}) (?<part>${name}|[^\\s:"]+)|(?<table>${name})(?:\\.(?<column>${name}))?)`
const bound = String.raw`(?<bound>, (?:at most (?<most>\d{1,12}) rows?|all rows))?`
const aim = `(?: to (?<other>${name})(?:\\.(?<target>${name}))?)?`
const form = new RegExp(
  `^(?<does>loses|repeats|empties|changes|moves) ${subjectPattern}${bound}${aim}: (?<reason>.+)$`,
)

/** In characters. Later readers would not understand a shorter reason. */
const shortestReason = 10

/**
 * Reads the declarations of a file. Every comment that begins with the prefix must be valid.
 * @throws Error with the line of a malformed declaration
 */
export function readDeclarations(sql: string, { declarations: prefix }: Names): Declaration[] {
  const meant = new RegExp(String.raw`^(?:--|/\*)\s*${prefix}\s*:`, "i")
  const comments = sql.toLowerCase().includes(prefix.toLowerCase()) ? commentsOf(sql) : []
  const declarations = comments
    .filter(({ text }) => meant.test(text) && !text.startsWith(`-- ${prefix}:accept `))
    .map(({ line, text }) => parse(line, text.trimEnd(), `-- ${prefix}:`))
  for (const [index, declaration] of declarations.entries()) {
    const duplicate = declarations
      .slice(0, index)
      .find((earlier) => subjectOf(earlier) === subjectOf(declaration))
    if (duplicate === undefined) continue
    throw new Error(
      `line ${declaration.line} says again what line ${duplicate.line} says: keep one of them`,
    )
  }
  return declarations
}

function parse(line: number, text: string, begin: string): Declaration {
  const declared = text.startsWith(begin) ? parseForm(line, text.slice(begin.length)) : undefined
  if (declared === undefined) {
    const possible = forms.map((formText) => `${begin}${formText}: REASON`).join(", ")
    throw new Error(`line ${line}: "${text}" is no declaration. Write one of: ${possible}`)
  }
  if (declared.reason.trim().length >= shortestReason) return declared
  throw new Error(
    `line ${line}: "${declared.reason}" is no reason that a reader could follow: say why in ${shortestReason} characters or more`,
  )
}

function parseForm(line: number, text: string): Declaration | undefined {
  const { groups = {} } = form.exec(text) ?? {}
  const { does, part, table = "", column, bound: limit, most, other, target, reason = "" } = groups
  const kind = kinds.find((partKind) => partKind === groups["kind"])
  const atMost = most === undefined ? Number.MAX_SAFE_INTEGER : Number(most)
  const common = { line, reason, table: plain(table) }
  if (does === "moves" || other !== undefined) {
    if (does !== "moves" || other === undefined || (part ?? limit) !== undefined) return undefined
    const to = { table: plain(other) }
    if (column === undefined && target === undefined) return { does, ...common, to }
    if (column === undefined || target === undefined) return undefined
    const targetColumn = { ...to, column: plain(target) }
    return { does: "moves values", ...common, column: plain(column), to: targetColumn }
  }
  if (part !== undefined && kind !== undefined) {
    if (does !== "loses" || limit !== undefined) return undefined
    return { does: "loses part", ...common, kind, name: plain(part), table: undefined }
  }
  if (column === undefined) {
    const isRows = does === "loses" || does === "repeats"
    return isRows && limit !== undefined ? { does, ...common, atMost } : undefined
  }
  const subject = { ...common, column: plain(column) }
  if (does === "loses") return { does: "loses values", ...subject, atMost }
  if (does === "empties" && limit !== undefined) return { does, ...subject, atMost }
  return does === "changes" && limit === undefined ? { does, ...subject } : undefined
}

/** Formats a name for a declaration, with quotes if needed. */
export function declaredName(...names: string[]): string {
  const quoted = (text: string) =>
    /[\s.,:"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  return names.map(quoted).join(".")
}

function plain(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text
}

/** Returns the effect and its subject, such as `loses session` or `changes user.email`. */
function subjectOf(declaration: Declaration): string {
  if (declaration.does === "loses part") {
    return folded(`loses ${declaration.kind} ${declaration.name}`)
  }
  const subject =
    "column" in declaration ? `${declaration.table}.${declaration.column}` : declaration.table
  return folded(`${declaration.does} ${subject}`)
}

export type Statement = {
  /** From its first word to its semicolon, without the comments in front. */
  sql: string
  /** 1-based line of its first word. */
  line: number
  /** Position of its first word in the script. */
  start: number
  /** UTF-8 bytes as SQLite counts them, including the comments in front. */
  bytes: number
  /** False for a last statement without a semicolon. */
  terminated: boolean
}

type Kind = "blank" | "semicolon" | "word" | "other"
/** `line` is 1-based. */
type Token = { kind: Kind; text: string; position: number; line: number }

/** The classes of SQLite: words may have any character beyond ASCII, blanks are ASCII's and U+FEFF. */
const kinds: [Kind, RegExp][] = [
  ["blank", /[ \t-\r\uFEFF]+|--[^\n]*|\/\*[^]*?\*\//y],
  ["other", /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]/y],
  ["semicolon", /;/y],
  ["word", /[\w$\u0080-\uffff]+/y],
  ["other", /[^]/y],
]

const openings: Record<string, string> = {
  "'": "text in ''",
  '"': 'name in ""',
  "`": "name in ``",
  "[": "name in []",
  "/*": "comment",
}

/**
 * Splits a script into its statements, as SQLite does.
 * @throws Error naming the line of a quote, comment or trigger that never ends: SQLite would
 * swallow everything after it
 */
export function splitStatements(script: string): Statement[] {
  const statements: Statement[] = []
  /** The statement's tokens except blanks. */
  let tokens: Token[] = []
  let previousEnd = 0

  for (const token of tokensOf(script)) {
    if (token.kind === "blank") continue
    tokens.push(token)
    if (token.kind !== "semicolon" || (isTrigger(tokens) && !isTriggersEnd(tokens))) continue
    const [{ position: start, line } = token] = tokens
    const end = token.position + 1
    const bytes = Buffer.byteLength(script.slice(previousEnd, end))
    const sql = script.slice(start, end)
    if (tokens.length > 1) statements.push({ sql, line, start, bytes, terminated: true })
    previousEnd = end
    tokens = []
  }

  const [openToken] = tokens
  if (openToken === undefined) return statements
  const { line, position: start } = openToken
  if (isTrigger(tokens)) throw new Error(`line ${line}: the trigger never reaches its "END;"`)
  const sql = script.slice(start).trimEnd()
  return [...statements, { sql, line, start, bytes: Buffer.byteLength(sql), terminated: false }]
}

/** Every comment of a script that splits, and the line (from 1) on which it begins. */
export function commentsOf(script: string): { line: number; text: string }[] {
  const comments: { line: number; text: string }[] = []
  for (const { kind, text, line } of tokensOf(script)) {
    if (kind === "blank" && /^(--|\/\*)/.test(text)) comments.push({ line, text })
  }
  return comments
}

function* tokensOf(script: string): Generator<Token> {
  let line = 1
  for (let position = 0; position < script.length;) {
    const { kind, text } = tokenAt({ script, position, line })
    yield { kind, text, position, line }
    line += text.split("\n").length - 1
    position += text.length
  }
}

function tokenAt(cursor: Pick<Token, "position" | "line"> & { script: string }) {
  const { script, position, line } = cursor
  for (const [kind, pattern] of kinds) {
    pattern.lastIndex = position
    const text = pattern.exec(script)?.[0]
    if (text === undefined) continue
    const opening = openings[script.startsWith("/*", position) ? "/*" : text]
    if (kind === "other" && opening !== undefined) {
      throw new Error(`line ${line}: the ${opening} never ends`)
    }
    return { kind, text }
  }
  throw new Error(`line ${line}: nothing to read`)
}

/** Like sqlite3_complete(): inside a trigger only ";", "END", ";" ends the statement. */
function isTrigger(tokens: Token[]): boolean {
  const begin = /^(?:EXPLAIN (?:(?:QUERY|PLAN) )*)?CREATE (?:TEMP(?:ORARY)? )?TRIGGER(?: |$)/i
  return begin.test(textOf(tokens.slice(0, 6)))
}

function isTriggersEnd(tokens: Token[]): boolean {
  return /^; END ;$/i.test(textOf(tokens.slice(-3)))
}

function textOf(tokens: Token[]): string {
  return tokens.map(({ text }) => text).join(" ")
}

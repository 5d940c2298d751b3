export type Statement = {
  /** The text from the first word to the semicolon, without preceding comments. */
  sql: string
  /** Line of the first word, from 1. */
  line: number
  /** Position of the first word in the script. */
  start: number
  /** UTF-8 bytes as SQLite counts them, including preceding comments. */
  bytes: number
  /** False if the last statement lacks a semicolon. */
  terminated: boolean
}

type Kind = "blank" | "semicolon" | "word" | "other"
/** `line` is 1-based. */
type Token = { kind: Kind; text: string; position: number; line: number }

/** SQLite's character classes. Words may have any character beyond ASCII; blanks are those of ASCII, and U+FEFF. */
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
 * @throws Error with the line of an unclosed quote, comment or trigger, because SQLite would read the rest of the
 * script as part of it
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

/** Returns every comment of a valid script, with the line (from 1) on which it begins. */
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

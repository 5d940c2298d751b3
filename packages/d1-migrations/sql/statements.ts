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

type Token = { kind: "blank" | "semicolon" | "word" | "other"; text: string }

/** As in SQLite: letters are ASCII's and everything beyond ASCII, spaces ASCII's and U+FEFF. */
const tokens: [Token["kind"], RegExp][] = [
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
  const found: Statement[] = []
  let state: State = "start"
  let begun: { position: number; line: number } | undefined
  let previousEnd = 0
  let line = 1

  for (let position = 0; position < script.length;) {
    const token = tokenAt({ script, position, line })
    const end = position + token.text.length
    if (token.kind !== "blank") {
      state = follow(state, token)
      if (token.kind !== "semicolon") begun ??= { position, line }
    }
    if (state === "complete") {
      if (begun !== undefined) {
        const bytes = Buffer.byteLength(script.slice(previousEnd, end))
        const sql = script.slice(begun.position, end)
        found.push({ sql, line: begun.line, start: begun.position, bytes, terminated: true })
      }
      previousEnd = end
      begun = undefined
      state = "start"
    }
    line += token.text.split("\n").length - 1
    position = end
  }

  if (begun === undefined) return found
  if (state.startsWith("trigger")) {
    throw new Error(`line ${begun.line}: the trigger never reaches its "END;"`)
  }
  const rest = script.slice(begun.position).trimEnd()
  return [
    ...found,
    {
      sql: rest,
      line: begun.line,
      start: begun.position,
      bytes: Buffer.byteLength(rest),
      terminated: false,
    },
  ]
}

/** Every comment of a script that splits, and the line (from 1) on which it begins. */
export function commentsOf(script: string): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = []
  let line = 1
  for (let position = 0; position < script.length;) {
    const { kind, text } = tokenAt({ script, position, line })
    if (kind === "blank" && /^(--|\/\*)/.test(text)) found.push({ line, text })
    line += text.split("\n").length - 1
    position += text.length
  }
  return found
}

function tokenAt(cursor: { script: string; position: number; line: number }): Token {
  const { script, position, line } = cursor
  for (const [kind, pattern] of tokens) {
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

type State =
  | "start"
  | "plain"
  | "explain"
  | "create"
  | "create temporary"
  | "trigger"
  | "trigger;"
  | "trigger;end"
  | "complete"

/** Like sqlite3_complete(): inside a trigger only ";", "END", ";" ends the statement. */
function follow(state: State, token: Token): State {
  const semicolon = token.kind === "semicolon"
  const word = token.kind === "word" ? token.text.toUpperCase() : ""
  switch (state) {
    case "start":
    case "complete":
      if (semicolon) return "complete"
      if (word === "EXPLAIN") return "explain"
      return word === "CREATE" ? "create" : "plain"
    case "explain":
      if (semicolon) return "complete"
      if (word === "QUERY" || word === "PLAN") return "explain"
      return word === "CREATE" ? "create" : "plain"
    case "create":
      if (word === "TEMP" || word === "TEMPORARY") return "create temporary"
      return afterCreate(semicolon, word)
    case "create temporary":
      return afterCreate(semicolon, word)
    case "plain":
      return semicolon ? "complete" : "plain"
    case "trigger":
      return semicolon ? "trigger;" : "trigger"
    case "trigger;":
      if (semicolon) return "trigger;"
      return word === "END" ? "trigger;end" : "trigger"
    case "trigger;end":
      return semicolon ? "complete" : "trigger"
    default:
      return state satisfies never
  }
}

function afterCreate(semicolon: boolean, word: string): State {
  if (semicolon) return "complete"
  return word === "TRIGGER" ? "trigger" : "plain"
}

/**
 * Splits SQL at the semicolons that end statements, not at those in strings, quoted names, comments
 * or the body of a trigger. Comments stay where they are; statements of comments alone are dropped.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = []
  let start = 0
  let words: string[] = []
  let depth = 0

  function end(at: number) {
    if (words.length > 0) statements.push(sql.slice(start, at).trim())
    start = at + 1
    words = []
    depth = 0
  }

  for (const { text, index, kind } of tokens(sql)) {
    if (kind === "comment") continue
    if (text === ";" && depth === 0) {
      end(index)
      continue
    }
    const word = kind === "word" ? text.toUpperCase() : ""
    if (opens(word, words)) depth += 1
    if (word === "END" && depth > 0) depth -= 1
    // Four words tell CREATE TEMP TRIGGER from everything else; more would only cost memory.
    if (words.length < 4 && text !== ";") words.push(word)
  }
  end(sql.length)
  return statements
}

/** `BEGIN` opens a block only in a trigger (elsewhere it is a transaction, which D1 refuses). */
function opens(word: string, statement: string[]): boolean {
  if (!isTrigger(statement)) return false
  return word === "BEGIN" || word === "CASE"
}

function isTrigger([first, second, third]: string[]): boolean {
  if (first !== "CREATE") return false
  return (
    second === "TRIGGER" || ((second === "TEMP" || second === "TEMPORARY") && third === "TRIGGER")
  )
}

type Token = { text: string; index: number; kind: "comment" | "word" | "other" }

const pattern =
  /(?<comment>--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$))|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|[^\s]/gu

function* tokens(sql: string): Generator<Token> {
  for (const match of sql.matchAll(pattern)) {
    yield { text: match[0], index: match.index, kind: kindOf(match.groups ?? {}) }
  }
}

function kindOf(groups: Record<string, string | undefined>): Token["kind"] {
  if (groups["comment"] !== undefined) return "comment"
  return groups["word"] === undefined ? "other" : "word"
}

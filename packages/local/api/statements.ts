/**
 * Splits SQL at the semicolons that end statements, not at those in strings, quoted names, comments
 * or the body of a trigger. Comments stay in place; a statement of comments alone is dropped.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = []
  let start = 0
  /** In upper case: the first six identify the statement, the last two the end of a trigger. */
  let words: string[] = []

  function end(at: number) {
    if (words.length > 0) statements.push(sql.slice(start, at).trim())
    start = at + 1
    words = []
  }

  for (const { text, index, comment } of tokens(sql)) {
    if (comment) continue
    if (text === ";" && (!isTrigger(words) || endsTrigger(words))) end(index)
    else words = [...words.slice(0, 6), ...words.slice(6).slice(-1), text.toUpperCase()]
  }
  end(sql.length)
  return statements
}

/** The words and signs of a statement in upper case, quoted ones in their quotes, without comments. */
export function wordsOf(sql: string): string[] {
  return [...tokens(sql)].filter(({ comment }) => !comment).map(({ text }) => text.toUpperCase())
}

const trigger = /^(?:EXPLAIN (?:QUERY PLAN )?)?CREATE (?:TEMP(?:ORARY)? )?TRIGGER(?: |$)/

function isTrigger(words: string[]): boolean {
  return trigger.test(words.slice(0, 6).join(" "))
}

/** SQLite's own rule (`sqlite3_complete`): a trigger ends with `; END ;` and nothing else does. */
function endsTrigger(words: string[]): boolean {
  return words.at(-1) === "END" && words.at(-2) === ";"
}

/** SQLite treats every non-ASCII character as alphabetic, except the byte order mark, which is a space. */
const pattern =
  /(?<comment>--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$))|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$)|(?!\uFEFF)[\w$\u0080-\uffff]+|[^ \t-\r\uFEFF]/g

function* tokens(sql: string): Generator<{ text: string; index: number; comment: boolean }> {
  for (const match of sql.matchAll(pattern)) {
    const comment = match.groups?.["comment"] !== undefined
    yield { text: match[0], index: match.index, comment }
  }
}

import { wordsInside } from "../sql/words.ts"

/**
 * What only the text of a table's definition tells: collations, AUTOINCREMENT, generated columns, what a
 * conflict does, deferred references. SQLite's pragmas do not say these.
 */
export function definitionFacts(table: string, definition: string[]): [string, string][] {
  const parts = partsOf(wordsInside(definition, definition.indexOf("(")))
  return parts.flatMap((part) => factsOf(table, part))
}

/** Columns and constraints of the table. */
function partsOf(words: string[]): string[][] {
  const parts: string[][] = [[]]
  let depth = 0
  for (const word of words) {
    if (word === "(") depth += 1
    if (word === ")") depth -= 1
    if (word === "," && depth === 0) parts.push([])
    else parts.at(-1)?.push(word)
  }
  return parts
}

const tableConstraints = new Set(["constraint", "primary", "unique", "check", "foreign"])

function factsOf(table: string, part: string[]): [string, string][] {
  const [first = ""] = part
  if (!tableConstraints.has(first)) return columnFacts(table, part)
  const words = first === "constraint" ? part.slice(2) : part
  const columns = wordsInside(words, words.indexOf("(")).join(" ")
  return rulesOf(`${table} (${columns})`, withoutParentheses(words))
}

function columnFacts(table: string, [name = "", ...words]: string[]): [string, string][] {
  const column = `${table}.${name}`
  const flat = withoutParentheses(words)
  const start = words.indexOf("as")
  const generated =
    start < 0 || !flat.includes("as")
      ? []
      : [[`value of ${column}`, `${wordsInside(words, start + 1).join(" ")}${has(flat, "stored")}`]]
  const collation = flat[flat.indexOf("collate") + 1] ?? ""
  const collated = flat.includes("collate") && collation !== "binary"
  return [
    ...generated.map(([what = "", value = ""]): [string, string] => [what, value]),
    ...only(collated, [`collation of ${column}`, collation]),
    ...only(flat.includes("autoincrement"), [`autoincrement of ${column}`, ""]),
    ...only(/primary key desc/.test(flat.join(" ")), [`descending key of ${column}`, ""]),
    ...rulesOf(`${table} (${name})`, flat),
  ]
}

/** What a conflict does, and when a reference is checked, where it is not the default. */
function rulesOf(subject: string, flat: string[]): [string, string][] {
  const text = flat.join(" ")
  const conflicts = [...text.matchAll(/(\w+ \w+|\w+)(?: asc| desc)? on conflict (\w+)/g)]
  const kinds = conflicts
    .filter(([, , does]) => does !== "abort")
    .map(([, before = "", does = ""]): [string, string] => [
      `conflict of ${/primary key|not null|unique/.exec(before)?.[0] ?? before} ${subject}`,
      does,
    ])
  const isDeferred = /(?<!not )deferrable initially deferred/.test(text)
  return [...kinds, ...only(isDeferred, [`deferred reference ${subject}`, ""])]
}

function withoutParentheses(words: string[]): string[] {
  let depth = 0
  return words.filter((word) => {
    if (word === "(") depth += 1
    if (word === ")") depth -= 1
    return depth === 0 && word !== ")"
  })
}

function has(words: string[], word: string): string {
  return words.includes(word) ? ` ${word}` : ""
}

function only(applies: boolean, fact: [string, string]): [string, string][] {
  return applies ? [fact] : []
}

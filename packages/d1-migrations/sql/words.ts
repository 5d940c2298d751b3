import { folded } from "./folded.ts"

/** Quoted text, comments, words, operators and single characters, as SQLite separates them. */
const token = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?\*\/|\w+|[<>=!|]+|\S/g

/** Keywords that are names only in quotes. */
const reserved =
  /^(?:autoincrement|check|collate|constraint|default|foreign|on|primary|references|unique)$/

/** The words of a definition without comments, quotes and upper case; texts and quoted keywords stay as they are. */
export function sqlWords(sql: string): string[] {
  return [...sql.matchAll(token)]
    .map(([word]) => word)
    .filter((word) => !/^(?:--|\/\*)/.test(word))
    .map((word) => {
      if (word.startsWith("'")) return word
      const name = folded(word.replaceAll(/["`[\]]/g, ""))
      return name.length < word.length && reserved.test(name) ? `"${name}"` : name
    })
}

/** The words between the parenthesis at `start` and its counterpart. */
export function wordsInside(words: string[], start: number): string[] {
  let depth = 0
  const length = words.slice(start).findIndex((word) => {
    if (word === "(") depth += 1
    if (word === ")") depth -= 1
    return depth === 0
  })
  return words.slice(start + 1, start + length)
}

/** The definitions of columns and constraints of a table, and its options, such as `strict`. */
export function definitionsIn(words: string[]): { definitions: string[][]; options: string[] } {
  const start = words.indexOf("(")
  const inside = wordsInside(words, start)
  const definitions: string[][] = [[]]
  let depth = 0
  for (const word of inside) {
    if (word === "(") depth += 1
    if (word === ")") depth -= 1
    if (word === "," && depth === 0) definitions.push([])
    else definitions.at(-1)?.push(word)
  }
  return { definitions, options: words.slice(start + inside.length + 2) }
}

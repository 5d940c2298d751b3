import { folded } from "./folded.ts"

/** Quoted text, comments, words, operators and single characters, as SQLite separates them. */
const token = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?\*\/|\w+|[<>=!|]+|\S/g

/** The words of a definition without comments, and but for texts without quotes and letter case. */
export function sqlWords(sql: string): string[] {
  return [...sql.matchAll(token)]
    .map(([word]) => word)
    .filter((word) => !/^(?:--|\/\*)/.test(word))
    .map((word) => (word.startsWith("'") ? word : folded(word.replaceAll(/["`[\]]/g, ""))))
}

/** The words between the parenthesis at `start` and the one that closes it. */
export function wordsInside(words: string[], start: number): string[] {
  let depth = 0
  const length = words.slice(start).findIndex((word) => {
    if (word === "(") depth += 1
    if (word === ")") depth -= 1
    return depth === 0
  })
  return words.slice(start + 1, start + length)
}

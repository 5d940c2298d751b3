import * as z from "zod"

import type { ScratchDatabase } from "../rehearsal/scratch-database.ts"

const Definition = z.object({ sql: z.string() })

/** Quoted text, comments, words, operators and single characters, as SQLite separates them. */
const token = /'(?:[^']|'')*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?\*\/|\w+|[<>=!|]+|\S/g

/** The conditions of a table's checks, without their blanks, quotes and letter case. */
export function checksOf(database: ScratchDatabase, table: string): string[] {
  const [row] = database.rows(
    "SELECT sql FROM sqlite_master WHERE type = 'table' AND lower(name) = lower(?)",
    table,
  )
  const definition = Definition.safeParse(row).data?.sql ?? ""
  const words = [...definition.matchAll(token)].map(([text]) => text)
  return words.flatMap((word, index) =>
    word.toUpperCase() === "CHECK" ? [conditionFrom(words.slice(index + 1), table)] : [],
  )
}

/** SQLite writes the table's own name into the checks of one that is renamed. */
function conditionFrom(words: string[], table: string): string {
  const inside: string[] = []
  let depth = 0
  for (const word of words) {
    if (word === "(") depth += 1
    if (word === ")") depth -= 1
    if (depth === 0) break
    inside.push(word)
  }
  const plain = inside
    .slice(1)
    .filter((word) => !/^(--|\/\*)/.test(word))
    .map((word) => (word.startsWith("'") ? word : word.replaceAll(/["`[\]]/g, "").toLowerCase()))
  const text = plain.join(" ")
  return text.replaceAll(`${table.toLowerCase()} . `, "")
}

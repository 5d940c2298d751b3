import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { sqlWords, wordsInside } from "../sql/words.ts"

/** The words of a table's definition; empty when there is no such table. */
export function definitionOf(database: ScratchDatabase, table: string): string[] {
  const [row] = database.rows(
    "SELECT sql FROM sqlite_master WHERE type = 'table' AND lower(name) = lower(?)",
    table,
  )
  return sqlWords(String(row?.["sql"] ?? ""))
}

/** The conditions of a table's checks, without their blanks, quotes and letter case. */
export function checksOf(database: ScratchDatabase, table: string): string[] {
  const words = definitionOf(database, table)
  // SQLite writes the table's own name into the checks of one that is renamed.
  const own = `${table.toLowerCase()} . `
  return words.flatMap((word, index) =>
    word === "check"
      ? wordsInside(words, index + 1)
          .join(" ")
          .replaceAll(own, "")
      : [],
  )
}

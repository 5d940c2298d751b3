import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { folded } from "../sql/folded.ts"
import { sqlWords, wordsInside } from "../sql/words.ts"

/** The words of a table's definition; empty when there is no such table. */
export function definitionOf(database: ScratchDatabase, table: string): string[] {
  const tables = "SELECT sql FROM sqlite_master WHERE type = 'table'"
  const [sql = ""] = database.texts(`${tables} AND name = ? COLLATE NOCASE`, table)
  return sqlWords(sql)
}

/** Whether a table never gives the number of a deleted row again. */
export function isCounting(database: ScratchDatabase, table: string): boolean {
  return definitionOf(database, table).includes("autoincrement")
}

/** The conditions of a table's checks, without their blanks, quotes and letter case. */
export function checksIn(words: string[], table: string): string[] {
  // SQLite writes the table's own name into the checks of one that is renamed.
  const own = `${folded(table)} . `
  return words.flatMap((word, index) =>
    word === "check"
      ? wordsInside(words, index + 1)
          .join(" ")
          .replaceAll(own, "")
      : [],
  )
}

import { checksOf } from "../classification/checks.ts"
import {
  type Column,
  isSameName,
  quoteName,
  readDefinitions,
  type Table,
} from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { folded } from "../sql/folded.ts"

/** The texts in which a table says what values it takes: its checks, and the triggers on it. */
export function readRules(database: ScratchDatabase, table: string): string[] {
  const triggers = readDefinitions(database).filter(
    (one) => one.type === "trigger" && isSameName(one.table, table),
  )
  return [...checksOf(database, table), ...triggers.map(({ sql }) => sql)]
}

/** Whether a rule speaks of a column, or of something with the same name. */
export function isRuled(rules: string[], column: string): boolean {
  return rules.some((rule) => mentions(rule, column))
}

export type Literals = { texts: string[]; numbers: number[] }

/**
 * Texts (as SQL) and numbers in the rules that speak of a column: the values of a list are among
 * them, and the ends of a range with their neighbours. Which of them a column takes, SQLite decides.
 */
export function literalsFor(rules: string[], column: string): Literals {
  const found = rules.filter((rule) => mentions(rule, column))
  const texts = found.flatMap((rule) => rule.match(/'(?:[^']|'')*'/g) ?? [])
  const numbers = found
    .flatMap((rule) => withoutTexts(rule).match(/(?<![\w.])\d+(?![\w.])/g) ?? [])
    .map(Number)
    .flatMap((number) => [number, number + 1, number - 1, -number])
    .filter(Number.isSafeInteger)
  return { texts: [...new Set(texts)], numbers: [...new Set(numbers)] }
}

type Checked = { database: ScratchDatabase; table: Table; rules: string[]; column: Column }

/**
 * Whether a value keeps the checks that speak of this column alone; false positives cost a try. The
 * others depend on the rest of the row.
 */
export function keepsOwnChecks({ database, table, rules, column }: Checked) {
  const others = table.columns.filter(({ name }) => !isSameName(name, column.name))
  const own = rules.filter(
    (rule) =>
      !/^create\s/i.test(rule) &&
      mentions(rule, column.name) &&
      !others.some(({ name }) => mentions(rule, name)),
  )
  return (sql: string): boolean =>
    own.every((check) => {
      const row = `SELECT ${sql} AS ${quoteName(column.name)}`
      try {
        return database.rows(`SELECT 1 FROM (${row}) WHERE (${check}) IS NOT 0`).length > 0
      } catch {
        return true
      }
    })
}

function mentions(rule: string, column: string): boolean {
  const words = folded(withoutTexts(rule))
  return words.split(/[^\w$\u0080-\uffff]+/).includes(folded(column))
}

function withoutTexts(rule: string): string {
  return rule.replaceAll(/'(?:[^']|'')*'/g, "")
}

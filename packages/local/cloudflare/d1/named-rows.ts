import type { StatementResult } from "../plane/plane.ts"

/** Rows as objects. When two columns share a name, the last one wins. */
export function namedRows({ columns, rows }: Pick<StatementResult, "columns" | "rows">) {
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
}

import type { Migration } from "../files/migration-files.ts"

/** As in `0002_plan.sql, statement 4 of 9 (line 19: DROP TABLE user;)`. */
export function placeOf(file: Migration, number: number): string {
  const statement = file.statements[number - 1]
  if (statement === undefined) return file.name
  const { line, sql } = statement
  return `${file.name}, statement ${number} of ${file.statements.length} (line ${line}: ${excerpt(sql)})`
}

function excerpt(sql: string): string {
  const line = sql.replaceAll(/\s+/g, " ")
  return line.length > 100 ? `${line.slice(0, 100)}…` : line
}

import { literal } from "../sql/literal.ts"

const numbers = "d1_migrations_numbers_before"

export const recordSequences = `CREATE TABLE ${numbers} AS SELECT name, seq FROM sqlite_sequence;`

/** Numbers of rows that are gone are never given again: a rebuild goes on after the last one. */
export function keepSequences(tables: string[]): string {
  const names = tables.map(literal).join(", ")
  return `DELETE FROM ${numbers} WHERE name NOT IN (${names}) OR seq < coalesce((SELECT s.seq FROM sqlite_sequence AS s WHERE s.name = ${numbers}.name), 0);
DELETE FROM sqlite_sequence WHERE name IN (SELECT name FROM ${numbers});
INSERT INTO sqlite_sequence (name, seq) SELECT name, seq FROM ${numbers};
DROP TABLE ${numbers};`
}

import { literal } from "../sql/literal.ts"

const numbers = "d1_migrations_numbers_before"

/** @param tables by their names now the names that they get */
export function recordSequences(tables: [string, string][]): string {
  const [was, names] = [
    tables.map(([name]) => literal(name)),
    tables.map((pair) => pair.map(literal)),
  ]
  const name = `CASE name ${names.map(([from, to]) => `WHEN ${from} THEN ${to}`).join(" ")} END`
  return `CREATE TABLE ${numbers} AS SELECT ${name} AS name, seq FROM sqlite_sequence WHERE name IN (${was.join(", ")});`
}

/** Numbers of rows that are gone are never given again: tables go on after the last one. */
export const keepSequences = `DELETE FROM ${numbers} WHERE seq <= (SELECT max(CAST(s.seq AS INTEGER)) FROM sqlite_sequence AS s WHERE s.name = ${numbers}.name);
DELETE FROM sqlite_sequence WHERE name IN (SELECT name FROM ${numbers});
INSERT INTO sqlite_sequence (name, seq) SELECT name, seq FROM ${numbers};
DROP TABLE ${numbers};`

import { isSameName } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"
import type { Judged } from "./guarded-tables.ts"

const numbers = "d1_migrations_numbers_before"

/** Tables with AUTOINCREMENT, and their names afterwards, where a file may start its numbers anew. */
export function renumberedTables({ classification, declarations }: Judged): [string, string][] {
  const { trial, names, objects } = classification
  const mayStart = trial.onNothing.some(
    ({ effect }) => effect === undefined || effect.drops.length > 0 || effect.writesSequences,
  )
  const isDeclared = (table: string) =>
    declarations.some(
      (one) => one.does === "loses part" && one.kind === "sequence" && isSameName(one.name, table),
    )
  return [...names].filter(([was]) => {
    const sql = objects.find(({ type, name }) => type === "table" && name === was)?.sql ?? ""
    return mayStart && /\bautoincrement\b/i.test(sql) && !isDeclared(was)
  })
}

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

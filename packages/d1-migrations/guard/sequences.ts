import { isSameName } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"
import type { Judged } from "./guarded-tables.ts"

const numbers = "d1_migrations_numbers_before"

/** Tables with AUTOINCREMENT, and their names afterwards, where a file may start its numbers anew. */
export function renumberedTables({ analysis, declarations }: Judged): [string, string][] {
  const { steps, objects, tables } = analysis
  const mayStart = steps.some(
    ({ effect }) => effect === undefined || effect.drops.length > 0 || effect.writesSequences,
  )
  const isDeclared = (table: string) =>
    declarations.some(
      (declaration) =>
        declaration.does === "loses part" &&
        declaration.kind === "sequence" &&
        isSameName(declaration.name, table),
    )
  return objects.flatMap(({ type, name, sql }): [string, string][] => {
    const first = tables.findByOriginalName(name)
    const now = tables.findByName(name)?.name ?? (first?.dropped === false ? first.name : undefined)
    const isCounting = mayStart && type === "table" && /\bautoincrement\b/i.test(sql)
    return isCounting && now !== undefined && !isDeclared(name) ? [[name, now]] : []
  })
}

/** @param tables by their names now the names that they get */
export function recordSequences(tables: [string, string][]): string {
  const [namesBefore, names] = [
    tables.map(([name]) => literal(name)),
    tables.map((pair) => pair.map(literal)),
  ]
  const name = `CASE name ${names.map(([from, to]) => `WHEN ${from} THEN ${to}`).join(" ")} END`
  return `CREATE TABLE ${numbers} AS SELECT ${name} AS name, seq FROM sqlite_sequence WHERE name IN (${namesBefore.join(", ")});`
}

/** An expression: where a file sets the last number back in words. */
export function sequencesSetBack(begin: string): string {
  const line = `' is set back (-- ${begin}:loses sequence ' || name || ': REASON)' || char(10)`
  const last = `(SELECT max(CAST(s.seq AS INTEGER)) FROM sqlite_sequence AS s WHERE s.name = n.name)`
  return `(SELECT coalesce(group_concat('what AUTOINCREMENT counts with in ' || name || ${line}, ''), '') FROM ${numbers} AS n WHERE seq > coalesce(${last}, 0))`
}

/** Numbers of rows that are gone are never given again: tables go on after the last one. */
export const keepSequences = `DELETE FROM ${numbers} WHERE seq <= (SELECT max(CAST(s.seq AS INTEGER)) FROM sqlite_sequence AS s WHERE s.name = ${numbers}.name);
DELETE FROM sqlite_sequence WHERE name IN (SELECT name FROM ${numbers});
INSERT INTO sqlite_sequence (name, seq) SELECT name, seq FROM ${numbers};
DROP TABLE ${numbers};`

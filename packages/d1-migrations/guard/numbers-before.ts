import { isOwnTable } from "../names.ts"
import { findTable, isNumbered, isRowid, isSameName, quoteName } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import { balanced, literal } from "../sql/literal.ts"
import { isKept } from "./compare.ts"
import type { Judged } from "./guarded-tables.ts"
import type { Guarding } from "./snapshot.ts"

/** Statements around a file that preserve numbers. `reports` are SQL expressions that describe changed numbers. */
type Recorded = { before: string[]; reports: string[]; after: string[] }

const numbersTable = "d1_migrations_numbers_before"
const referencesTable = "d1_migrations_references_before"

/** Returns tables with AUTOINCREMENT whose numbers the file may restart, with their names after it. */
function renumberedTables({ analysis, declarations }: Judged): [string, string][] {
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

/** Keeps numbers of deleted rows from being reused: rebuilt tables continue after the last number. */
export function recordSequences(judged: Judged): Recorded[] {
  const tables = renumberedTables(judged)
  if (tables.length === 0) return []
  const renames = tables.map((pair) => pair.map(literal))
  const name = `CASE name ${renames.map(([from, to]) => `WHEN ${from} THEN ${to}`).join(" ")} END`
  const line = `' is set back (-- ${judged.file.names.declarations}:loses sequence ' || name || ': REASON)' || char(10)`
  const last = `(SELECT max(CAST(s.seq AS INTEGER)) FROM sqlite_sequence AS s WHERE s.name = n.name)`
  const setBack = `(SELECT coalesce(group_concat('what AUTOINCREMENT counts with in ' || name || ${line}, ''), '') FROM ${numbersTable} AS n WHERE seq > coalesce(${last}, 0))`
  const isWritten = judged.analysis.steps.some(({ effect }) => effect?.writesSequences)
  return [
    {
      before: [
        `CREATE TABLE ${numbersTable} AS SELECT ${name} AS name, seq FROM sqlite_sequence WHERE name IN (${renames.map(([from]) => from).join(", ")});`,
      ],
      // Compare numbers that the file writes itself. The statements below restore the numbers of rebuilt tables.
      reports: isWritten ? [setBack] : [],
      after: [
        `DELETE FROM ${numbersTable} AS n WHERE seq <= ${last};`,
        `DELETE FROM sqlite_sequence WHERE name IN (SELECT name FROM ${numbersTable});`,
        `INSERT INTO sqlite_sequence (name, seq) SELECT name, seq FROM ${numbersTable};`,
        `DROP TABLE ${numbersTable};`,
      ],
    },
  ]
}

/**
 * Counts broken references. If a file ends the deferral of foreign keys, SQLite forgets what it must check and commits
 * them (tested on workerd 1.20261102.1). Prisma's rebuilds end like this.
 */
export function recordReferences({ file }: Judged): Recorded[] {
  if (!/defer_foreign_keys/i.test(file.sql)) return []
  const broken = "SELECT count(*) AS n FROM temp.pragma_foreign_key_check"
  const report =
    "'rows that refer to rows that do not exist: ' || now || ', and ' || before || ' before the file: delete or correct them in the file, and leave PRAGMA defer_foreign_keys = OFF out' || char(10)"
  return [
    {
      before: [`CREATE TABLE ${referencesTable} AS ${broken};`],
      reports: [
        `(SELECT CASE WHEN now > before THEN ${report} ELSE '' END FROM (SELECT (${broken}) AS now, n AS before FROM ${referencesTable}))`,
      ],
      after: [`DROP TABLE ${referencesTable};`],
    },
  ]
}

/**
 * Guesses the columns that may have rowids of a table: integer columns with a similar name and without a foreign key,
 * in tables that the file does not touch.
 */
function numberColumns({ table, analysis, file }: Guarding): { table: string; column: string }[] {
  const { reach, after, before, tables } = analysis
  const disturbed = new Set([...reach.touched, ...reach.taken, table.name].map(folded))
  const meant = folded(table.name).replace(/s$/, "")
  return before.flatMap(({ name, virtual, columns, foreignKeys }) => {
    const now = findTable(after, name)
    const isMoved = tables.findByOriginalName(name) !== tables.findByName(name)
    const isLeft = !disturbed.has(folded(name)) && !isOwnTable(name, file.names) && !isMoved
    if (virtual || !isLeft || now === undefined) return []
    const hasWideKey = columns.filter(({ inPrimaryKey }) => inPrimaryKey).length > 1
    const referring = new Set(foreignKeys.flatMap((key) => key.columns.map(folded)))
    return columns
      .filter(({ type, generated }) => !generated && /^$|int/i.test(type))
      .filter((column) => folded(column.name).includes(meant) || /row(?:_?id)?$/i.test(column.name))
      .filter((column) => hasWideKey || !column.inPrimaryKey)
      .filter((column) => !referring.has(folded(column.name)))
      .filter((column) => now.columns.some((remaining) => isSameName(remaining.name, column.name)))
      .map((column) => ({ table: name, column: column.name }))
  })
}

/**
 * Reports columns whose values were all rowids of a table, and now belong to other rows or to none, because a copy
 * assigns new rowids. `rowids` is a SELECT of the original rowids.
 */
export function changedNumbers(guarding: Guarding, rowids: string): string[] {
  const { table, places, snapshot, isNumbered: hasNumbers } = guarding
  const [place, ...otherPlaces] = places
  const isRenumbered =
    otherPlaces.length === 0 &&
    hasNumbers &&
    !table.columns.some(({ name }) => isRowid(table, name))
  if (place === undefined || place.same || !isNumbered(place.table) || !isRenumbered) return []
  const matches = balanced(["b.rowid = a.n", ...place.cells.map(isKept)], "AND")
  const stay = `SELECT a.n FROM ${snapshot} AS a CROSS JOIN ${quoteName(place.table.name)} AS b WHERE ${matches}`
  return numberColumns(guarding).map((each) => {
    const [from, value] = [quoteName(each.table), quoteName(each.column)]
    // Values that are not positive integers refer to no row.
    const without = (numbers: string) =>
      `EXISTS (SELECT 1 FROM ${from} WHERE typeof(${value}) = 'integer' AND ${value} > 0 AND ${value} NOT IN (${numbers}))`
    const text = `${each.table}.${each.column} has numbers of rows of ${table.name}, which change: copy the numbers as well (INSERT INTO … (rowid, …) SELECT rowid, …)\n`
    return `CASE WHEN NOT ${without(rowids)} AND ${without(stay)} THEN ${literal(text)} ELSE '' END`
  })
}

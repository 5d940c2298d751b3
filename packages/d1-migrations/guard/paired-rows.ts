import { declaredName } from "../files/declarations.ts"
import { quoteName } from "../schema/schema.ts"
import { balanced, literal } from "../sql/literal.ts"
import { boundedLine, declarationLine, isKept, isRow, reportOf, whenMore } from "./compare.ts"
import { type Cell, isStrict, type Place } from "./guarded-tables.ts"
import type { Guarding } from "./snapshot.ts"

/** D1 takes 100 columns in a result, and each cell needs two. */
const mostCells = 45

/**
 * Reports what has to be declared and is not, a line for each; empty if each original row has one with the
 * same values, or a value in place of NULL. If all is well, that is one pass over both.
 */
export function pairedDifferences(guarding: Guarding, place: Place): string {
  const { table, bound, snapshot, file } = guarding
  const { pairing, key, isWhole, table: now } = place
  const join =
    pairing === "number"
      ? "b.rowid = a.n"
      : isWhole
        ? `b.${key[0]?.is} = a.${key[0]?.was}`
        : isRow(key, [])
  const rowKey = `b.${pairing === "number" ? "rowid" : key[0]?.is}`
  const joined = `${snapshot} AS a LEFT JOIN ${quoteName(now.name)} AS b ON ${join}`
  const name = declaredName(table.name)
  const missing = reportOf(file.names.declarations, {
    count: `(SELECT count(*) FROM ${joined} WHERE ${rowKey} IS NULL)`,
    text: ` of the rows of ${name} are not in ${now.name} any more`,
    does: `loses ${name}`,
    bound,
  })
  // Columns that find a row are the same.
  const cells = place.cells.filter((cell) => pairing === "number" || !key.includes(cell))
  const chunks = Array.from({ length: Math.ceil(cells.length / mostCells) }, (_, at) =>
    cells.slice(at * mostCells, (at + 1) * mostCells),
  )
  const details = chunks.map((chunk) => {
    const counts = chunk.flatMap((cell, at) => countsOf(cell, at, rowKey))
    const reports = chunk.map((cell, at) => reportCell(guarding, now.name, cell, at))
    return `(SELECT ${balanced(reports, "||")} FROM (SELECT ${counts.join(", ")} FROM ${joined}))`
  })
  const report = balanced([missing, ...details], "||")
  // Declared losses are counted in any case.
  if (bound > 0 || !cells.every(isStrict)) return report
  const matches = balanced([join, ...cells.map(isKept)], "AND")
  return `CASE (SELECT count(*) FROM ${snapshot}) WHEN (SELECT count(*) FROM ${snapshot} AS a CROSS JOIN ${quoteName(now.name)} AS b WHERE ${matches}) THEN '' ELSE ${report} END`
}

/** Counts of values that differ, and of those that are NULL or blank now. */
function countsOf(cell: Cell, at: number, rowKey: string): string[] {
  const differs = `${rowKey} IS NOT NULL AND NOT ${isKept(cell)}`
  const blank = cell.empties > 0 && !cell.changes ? "" : ` OR trim(b.${cell.is}) = ''`
  return [
    `count(*) FILTER (WHERE ${differs}) AS x${at}`,
    `count(*) FILTER (WHERE ${differs} AND (b.${cell.is} IS NULL${blank})) AS y${at}`,
  ]
}

function reportCell({ table, file }: Guarding, now: string, cell: Cell, at: number): string {
  const { changes, empties, loses } = cell
  const [x, y] = [`x${at}`, `y${at}`]
  const changed = empties > 0 ? `(${x} - ${y})` : x
  const begin = file.names.declarations
  const column = declaredName(table.name, cell.name)
  const line = (does: string, count: string) => boundedLine(begin, `${does} ${column}`, count)
  const changesLine = declarationLine(begin, literal(`changes ${column}`))
  const advice = `CASE ${y} WHEN 0 THEN ${changesLine} ELSE ${line("loses", changed)} END`
  const differ = ` of the values of ${column} in ${now} are others than before`
  const [emptied, does] = changes
    ? [` of the values of ${column} are gone, and only declared to change`, "loses"]
    : [` of the values of ${column} are emptied`, "empties"]
  const cases = [
    ...(changes ? [] : [whenMore(changed, loses, differ, advice)]),
    ...(changes || empties > 0 ? [whenMore(y, empties + loses, emptied, line(does, y))] : []),
  ]
  return `CASE ${cases.join(" ")} ELSE '' END`
}

import { movedTo } from "../analysis/destinations.ts"
import { declaredName } from "../files/declarations.ts"
import { isSameName, quoteName } from "../schema/schema.ts"
import { balanced } from "../sql/literal.ts"
import { countMissing, exactRows, isRowIn, reportOf } from "./compare.ts"
import { isGivenUp, nullableKey, type Place } from "./guarded-tables.ts"
import type { Guarding } from "./snapshot.ts"

/** Reports values that are missing in the tables that they are declared to move to. */
export function movedDifferences(guarding: Guarding): string[] {
  const { table, places, columns, bound, snapshot, analysis, declarations, file, rows } = guarding
  const [place, ...otherPlaces] = places
  const begin = file.names.declarations
  const moved = columns.flatMap((column) => {
    const { to, name } = column
    const isHere = otherPlaces.length === 0 && isSameName(place?.table.name ?? "", to?.table ?? "")
    if (to === undefined || isGivenUp(column) || isHere) return []
    const at = movedTo(analysis, table, { to, destinations: places, column: name })
    return [Object.assign({}, column, { to, at })]
  })
  const pairedRow = place && rowIn(guarding, place)
  return moved.map(({ name, was, to, loses, at }) => {
    const [column, targetName] = [declaredName(table.name, name), declaredName(to.table, to.column)]
    const report = (count: string) => {
      const text = ` of the values of ${column} are not in ${targetName}`
      return reportOf(begin, { count, text, does: `loses ${column}`, bound: loses })
    }
    const values = `SELECT count(*) FROM ${snapshot} AS a WHERE a.${was} IS NOT NULL`
    if (at === undefined) return report(`(${values})`)
    const [target, is] = [quoteName(at.table.name), quoteName(at.column)]
    const matches = `+b.${is} IS a.${was} COLLATE BINARY`
    // If rows may be lost, require only the moved values of rows that still exist.
    const isThere =
      bound > 0 && pairedRow !== undefined ? ` AND EXISTS (SELECT 1 ${pairedRow()})` : ""
    const together = moved.filter((sibling) => sibling.at?.table === at.table)
    const movedKey = together.flatMap((sibling): [string, string][] =>
      table.primaryKey.includes(sibling.name) ? [[sibling.name, sibling.at?.column ?? ""]] : [],
    )
    const isWhole = movedKey.length === table.primaryKey.length
    const key = at.key.length > 0 || !isWhole ? at.key : movedKey
    if (key.length > 0) {
      const join = key.map(([keyName, targetKey]) => {
        const keyColumn = columns.find((candidate) => candidate.name === keyName)
        return `b.${quoteName(targetKey)} = a.${keyColumn?.was}`
      })
      const isFound = isRowIn(target, `${join.join(" AND ")} AND ${matches}`)
      const missing = report(`(${values}${isThere} AND NOT ${isFound})`)
      const live = analysis.tables.findByName(at.table.name)
      const isOld = analysis.before.some(
        (each) => analysis.tables.findByOriginalName(each.name) === live,
      )
      const sharing = declarations.filter(
        (each) => each.does === "moves values" && isSameName(each.to.table, to.table),
      )
      if (isOld || together.length > 1 || sharing.length > 1) return missing
      const keys = key.map(([, targetKey]) => quoteName(targetKey)).join(", ")
      const repeated = reportOf(begin, {
        count: `(SELECT count(${is}) FROM ${target}) - (SELECT count(*) FROM (SELECT DISTINCT ${keys} FROM ${target} WHERE ${is} IS NOT NULL))`,
        text: ` of the values of ${column} are in ${targetName} more than once`,
        does: `repeats ${declaredName(table.name)}`,
        bound: guarding.repeats,
      })
      return balanced([missing, repeated], "||")
    }
    if (at.through.length > 0 && pairedRow !== undefined) {
      const linked = at.through.map(({ columns: from, keys }) => {
        const join = keys.map(
          (each, index) => `b.${quoteName(each)} = h.${quoteName(from[index] ?? "")}`,
        )
        return `EXISTS (SELECT 1 ${pairedRow(`JOIN ${target} AS b ON ${join.join(" AND ")}`)} AND ${matches})`
      })
      return report(`(${values}${isThere} AND NOT (${linked.join(" OR ")}))`)
    }
    const isUnique = at.table.uniques.some((unique) => unique.join() === at.column)
    if (isUnique || rows > exactRows) {
      return report(`(${values} AND NOT ${isRowIn(target, `b.${is} = a.${was} AND ${matches}`)})`)
    }
    const from = `(SELECT ${was} FROM ${snapshot} WHERE ${was} IS NOT NULL)`
    const after = [{ table: at.table.name, columns: [is] }]
    return report(countMissing({ before: [{ from, columns: [was] }], after }))
  })
}

/** Returns FROM and WHERE that pair a row `h` of a place with the original row `a`. */
function rowIn(guarding: Guarding, place: Place) {
  const isNumber = place.staysNumbered && nullableKey(guarding).length > 0
  if (!isNumber && place.pairing === undefined) return undefined
  const keys = place.key.map(({ was, is }) => `h.${is} = a.${was}`)
  const isByNumber = isNumber || place.pairing === "number"
  const join = isByNumber ? "h.rowid = a.n" : keys.join(" AND ")
  return (joined = "") => `FROM ${quoteName(place.table.name)} AS h ${joined} WHERE ${join}`
}

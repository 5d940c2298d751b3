import { type Destination, movedTo } from "../analysis/destinations.ts"
import { declaredName } from "../files/declarations.ts"
import { isSameName, quoteName } from "../schema/schema.ts"
import { balanced } from "../sql/literal.ts"
import { countMissing, exactRows, lineFor } from "./compare.ts"
import { allowedOf, type Guarding, nullableKey, pairingOf, staysNumbered } from "./snapshot.ts"

/** Values that are declared to be in other tables. */
export function movedDifferences(guarding: Guarding): string[] {
  const { guarded, snapshot, analysis, declarations, file, rows } = guarding
  const { table, destinations, columns, bound } = guarded
  const [destination, ...otherDestinations] = destinations
  const moved = [...columns].flatMap(([name, alias]) => {
    const { to, loses } = allowedOf(declarations, table.name, name)
    const isHere =
      otherDestinations.length === 0 && isSameName(destination?.table.name ?? "", to?.table ?? "")
    if (to === undefined || loses === Infinity || isHere) return []
    return [
      {
        name,
        was: alias,
        to,
        loses,
        at: movedTo(analysis, table, { to, destinations, column: name }),
      },
    ]
  })
  return moved.map(({ name, was, to, loses, at }) => {
    const column = declaredName(table.name, name)
    const [targetName, begin] = [declaredName(to.table, to.column), file.names.declarations]
    const line = (count: string) =>
      lineFor(begin, `loses ${column}`, loses, [
        count,
        ` of the values of ${column} are not in ${targetName}`,
      ])
    if (at === undefined) return line(`(SELECT count(${was}) FROM ${snapshot})`)
    const together = moved.filter((sibling) => sibling.at?.table === at.table)
    const movedKey = together.flatMap((sibling): [string, string][] =>
      table.primaryKey.includes(sibling.name) ? [[sibling.name, sibling.at?.column ?? ""]] : [],
    )
    const key =
      at.key.length > 0 ? at.key : movedKey.length === table.primaryKey.length ? movedKey : []
    const [target, is] = [quoteName(at.table.name), quoteName(at.column)]
    const pairedRow = destination === undefined ? undefined : foundIn(guarding, destination)
    const matches = `+b.${is} IS a.${was} COLLATE BINARY`
    // What was moved went with its row, or is lost.
    const isThere =
      bound > 0 && pairedRow !== undefined ? ` AND EXISTS (SELECT 1 FROM ${pairedRow})` : ""
    const without = (linked: string, there_ = isThere) =>
      `(SELECT count(*) FROM ${snapshot} AS a WHERE a.${was} IS NOT NULL${there_} AND NOT (${linked}))`
    if (key.length > 0) {
      const join = key.map(
        ([keyColumn, targetColumn]) => `b.${quoteName(targetColumn)} = a.${columns.get(keyColumn)}`,
      )
      const missing = without(
        `EXISTS (SELECT 1 FROM ${target} AS b WHERE ${join.join(" AND ")} AND ${matches})`,
      )
      const isMade = !analysis.before.some(
        ({ name: tableName }) =>
          analysis.tables.findByOriginalName(tableName) ===
          analysis.tables.findByName(at.table.name),
      )
      const sharing = declarations.filter(
        (each) => each.does === "moves values" && isSameName(each.to.table, to.table),
      )
      const isAlone = together.length === 1 && sharing.length === 1
      const keys = key.map(([, targetColumn]) => quoteName(targetColumn)).join(", ")
      const surplus = `(SELECT count(${is}) FROM ${target}) - (SELECT count(*) FROM (SELECT DISTINCT ${keys} FROM ${target} WHERE ${is} IS NOT NULL))`
      const repeated = lineFor(begin, `repeats ${declaredName(table.name)}`, guarded.repeats, [
        surplus,
        ` of the values of ${column} are in ${targetName} more than once`,
      ])
      return isMade && isAlone ? balanced([line(missing), repeated], "||") : line(missing)
    }
    if (at.through.length > 0 && pairedRow !== undefined) {
      const looked = at.through.map(({ columns: from, keys }) => {
        const join = keys.map(
          (each, index) => `b.${quoteName(each)} = h.${quoteName(from[index] ?? "")}`,
        )
        return `EXISTS (SELECT 1 FROM ${pairedRow.replace(" WHERE ", ` JOIN ${target} AS b ON ${join.join(" AND ")} WHERE `)} AND ${matches})`
      })
      return line(without(looked.join(" OR ")))
    }
    const isUnique = at.table.uniques.some((unique) => unique.join() === at.column)
    if (isUnique || rows > exactRows) {
      const linked = `EXISTS (SELECT 1 FROM ${target} AS b WHERE b.${is} = a.${was} AND ${matches})`
      return line(without(linked, ""))
    }
    const unkeyed = {
      snapshots: [`(SELECT ${was} FROM ${snapshot} WHERE ${was} IS NOT NULL)`],
      columns: [was],
      targets: [{ table: at.table.name, columns: new Map([[was, is]]) }],
      rows,
    }
    return line(countMissing({ ...unkeyed, isOrdered: false, isNumbered: false }))
  })
}

/** FROM and WHERE that pair a row of a destination, `h`, with the original row `a`. */
function foundIn(
  { guarded, declarations }: Guarding,
  destination: Destination,
): string | undefined {
  const isNumber = staysNumbered(guarded, destination) && nullableKey(guarded.table).length > 0
  const pairing = isNumber
    ? { by: "number" as const }
    : pairingOf(guarded, destination, declarations)
  if (pairing === undefined) return undefined
  const conditions =
    pairing.by === "number"
      ? ["h.rowid = a.n"]
      : pairing.by.map(([before, is]) => `h.${is} = a.${before}`)
  return `${quoteName(destination.table.name)} AS h WHERE ${conditions.join(" AND ")}`
}

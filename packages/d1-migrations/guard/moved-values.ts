import { declaredName } from "../files/declarations.ts"
import { type Home, movedTo } from "../reading/homes.ts"
import { isSameName, quoteName } from "../schema/schema.ts"
import { balanced } from "../sql/literal.ts"
import { countMissing, exactRows, lineFor } from "./compare.ts"
import { allowedOf, type Guarding, nullableKey, pairingOf, staysNumbered } from "./snapshot.ts"

/** Values that are declared to be in other tables. */
export function movedOf(guarding: Guarding): string[] {
  const { one, kept, reading, declarations, file, rows } = guarding
  const { table, homes, columns, bound } = one
  const [home, ...others] = homes
  const moved = [...columns].flatMap(([name, was]) => {
    const { to, loses } = allowedOf(declarations, table.name, name)
    const isHere = others.length === 0 && isSameName(home?.table.name ?? "", to?.table ?? "")
    if (to === undefined || loses === Infinity || isHere) return []
    return [{ name, was, to, loses, at: movedTo(reading, table, { to, homes, column: name }) }]
  })
  return moved.map(({ name, was, to, loses, at }) => {
    const column = declaredName(table.name, name)
    const [there, begin] = [declaredName(to.table, to.column), file.names.declarations]
    const line = (count: string) =>
      lineFor(begin, `loses ${column}`, loses, [
        count,
        ` of the values of ${column} are not in ${there}`,
      ])
    if (at === undefined) return line(`(SELECT count(${was}) FROM ${kept})`)
    const together = moved.filter((other) => other.at?.table === at.table)
    const own = together.flatMap((other): [string, string][] =>
      table.primaryKey.includes(other.name) ? [[other.name, other.at?.column ?? ""]] : [],
    )
    const key = at.key.length > 0 ? at.key : own.length === table.primaryKey.length ? own : []
    const [target, is] = [quoteName(at.table.name), quoteName(at.column)]
    const found = home === undefined ? undefined : foundIn(guarding, home)
    const same = `+b.${is} IS a.${was} COLLATE BINARY`
    // What was moved went with its row, or is lost.
    const isThere = bound > 0 && found !== undefined ? ` AND EXISTS (SELECT 1 FROM ${found})` : ""
    const without = (linked: string, there_ = isThere) =>
      `(SELECT count(*) FROM ${kept} AS a WHERE a.${was} IS NOT NULL${there_} AND NOT (${linked}))`
    if (key.length > 0) {
      const join = key.map(([one_, other]) => `b.${quoteName(other)} = a.${columns.get(one_)}`)
      const missing = without(
        `EXISTS (SELECT 1 FROM ${target} AS b WHERE ${join.join(" AND ")} AND ${same})`,
      )
      const isMade = !reading.before.some(
        ({ name: former }) => reading.tables.first(former) === reading.tables.named(at.table.name),
      )
      const sharing = declarations.filter(
        (each) => each.does === "moves values" && isSameName(each.to.table, to.table),
      )
      const isAlone = together.length === 1 && sharing.length === 1
      const keys = key.map(([, other]) => quoteName(other)).join(", ")
      const more = `(SELECT count(${is}) FROM ${target}) - (SELECT count(*) FROM (SELECT DISTINCT ${keys} FROM ${target} WHERE ${is} IS NOT NULL))`
      const repeated = lineFor(begin, `repeats ${declaredName(table.name)}`, one.repeats, [
        more,
        ` of the values of ${column} are in ${there} more than once`,
      ])
      return isMade && isAlone ? balanced([line(missing), repeated], "||") : line(missing)
    }
    if (at.through.length > 0 && found !== undefined) {
      const looked = at.through.map(({ columns: from, keys }) => {
        const join = keys.map(
          (each, index) => `b.${quoteName(each)} = h.${quoteName(from[index] ?? "")}`,
        )
        return `EXISTS (SELECT 1 FROM ${found.replace(" WHERE ", ` JOIN ${target} AS b ON ${join.join(" AND ")} WHERE `)} AND ${same})`
      })
      return line(without(looked.join(" OR ")))
    }
    const isUnique = at.table.uniques.some((unique) => unique.join() === at.column)
    if (isUnique || rows > exactRows) {
      const linked = `EXISTS (SELECT 1 FROM ${target} AS b WHERE b.${is} = a.${was} AND ${same})`
      return line(without(linked, ""))
    }
    const unkeyed = {
      snapshots: [`(SELECT ${was} FROM ${kept} WHERE ${was} IS NOT NULL)`],
      columns: [was],
      targets: [{ table: at.table.name, columns: new Map([[was, is]]) }],
      rows,
    }
    return line(countMissing({ ...unkeyed, isOrdered: false, isNumbered: false }))
  })
}

/** A row of a home, called `h`, for one of before, called `a`. */
function foundIn({ one, declarations }: Guarding, home: Home): string | undefined {
  const isNumber = staysNumbered(one, home) && nullableKey(one.table).length > 0
  const pairing = isNumber ? { by: "number" as const } : pairingOf(one, home, declarations)
  if (pairing === undefined) return undefined
  const same =
    pairing.by === "number"
      ? ["h.rowid = a.n"]
      : pairing.by.map(([was, is]) => `h.${is} = a.${was}`)
  return `${quoteName(home.table.name)} AS h WHERE ${same.join(" AND ")}`
}

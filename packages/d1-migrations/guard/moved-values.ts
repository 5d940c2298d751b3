import { declaredName } from "../files/declarations.ts"
import { type Home, movedTo } from "../reading/homes.ts"
import { isSameName, quoteName } from "../schema/schema.ts"
import { balanced } from "./balanced.ts"
import { countMissing, exactRows, type Target } from "./compare.ts"
import {
  type Guarding,
  declaredOf,
  nullableKey,
  pairingOf,
  lineFor,
  staysNumbered,
} from "./snapshot.ts"

/** Values that are declared to be in other tables. */
export function movedOf(guarding: Guarding): string[] {
  const { one, kept, reading, declarations, file, rows } = guarding
  const { table, homes, columns, bound } = one
  const moved = [...columns].flatMap(([name, was]) => {
    const [declared] = declaredOf(declarations, table.name, name)
    if (declared?.does !== "moves values") return []
    const isHere =
      homes.length === 1 && homes.some((home) => isSameName(home.table.name, declared.to.table))
    if (isHere) return []
    return [
      {
        name,
        was,
        to: declared.to,
        at: movedTo(reading, table, { to: declared.to, homes, column: name }),
      },
    ]
  })
  return moved.map(({ name, was, to, at }) => {
    const column = declaredName(table.name, name)
    const what = ` of the values of ${column} are not in ${declaredName(to.table, to.column)}`
    const begin = file.names.declarations
    const line = (count: string) => lineFor(begin, count, what, ["loses ", column], 0)
    if (at === undefined) return line(`(SELECT count(${was}) FROM ${kept})`)
    const together = moved.filter((other) => other.at?.table === at.table)
    const own = together.flatMap((other): [string, string][] =>
      table.primaryKey.includes(other.name) ? [[other.name, other.at?.column ?? ""]] : [],
    )
    const key = at.key.length > 0 ? at.key : own.length === table.primaryKey.length ? own : []
    const [target, is] = [quoteName(at.table.name), quoteName(at.column)]
    const [home] = homes
    const found = home === undefined ? undefined : foundIn(guarding, home)
    // What was moved went with its row, or is lost.
    const isThere = bound > 0 && found !== undefined ? ` AND EXISTS (SELECT 1 FROM ${found})` : ""
    if (key.length > 0) {
      const join = key.map(([one_, other]) => `b.${quoteName(other)} = a.${columns.get(one_)}`)
      const linked = `EXISTS (SELECT 1 FROM ${target} AS b WHERE ${join.join(" AND ")} AND +b.${is} IS a.${was} COLLATE BINARY)`
      const isMade = !reading.before.some(
        ({ name: former }) => reading.tables.first(former) === reading.tables.named(at.table.name),
      )
      const isAlone =
        together.length === 1 &&
        declarations.filter(
          (each) => each.does === "moves values" && isSameName(each.to.table, to.table),
        ).length === 1
      const missing = `(SELECT count(*) FROM ${kept} AS a WHERE a.${was} IS NOT NULL${isThere} AND NOT ${linked})`
      const keys = key.map(([, other]) => quoteName(other)).join(", ")
      const more = `(SELECT count(${is}) FROM ${target}) - (SELECT count(*) FROM (SELECT DISTINCT ${keys} FROM ${target} WHERE ${is} IS NOT NULL))`
      const repeated = lineFor(
        begin,
        more,
        ` of the values of ${column} are in ${declaredName(to.table, to.column)} more than once`,
        ["repeats ", declaredName(table.name)],
        one.repeats,
      )
      return isMade && isAlone ? balanced([line(missing), repeated], "||") : line(missing)
    }
    if (at.through.length > 0 && found !== undefined) {
      const looked = at.through.map(({ columns: from, keys }) => {
        const join = keys.map(
          (each, index) => `b.${quoteName(each)} = h.${quoteName(from[index] ?? "")}`,
        )
        return `EXISTS (SELECT 1 FROM ${found.replace(" WHERE ", ` JOIN ${target} AS b ON ${join.join(" AND ")} WHERE `)} AND +b.${is} IS a.${was} COLLATE BINARY)`
      })
      return line(
        `(SELECT count(*) FROM ${kept} AS a WHERE a.${was} IS NOT NULL${isThere} AND NOT (${looked.join(" OR ")}))`,
      )
    }
    const isUnique = at.table.uniques.some((some) => some.join() === at.column)
    if (isUnique || rows > exactRows) {
      return line(
        `(SELECT count(*) FROM ${kept} AS a WHERE a.${was} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${target} AS b WHERE b.${is} = a.${was} AND +b.${is} IS a.${was} COLLATE BINARY))`,
      )
    }
    const snapshot = `(SELECT ${was} FROM ${kept} WHERE ${was} IS NOT NULL)`
    const place: Target = {
      table: at.table.name,
      columns: new Map([[was, at.column]]),
    }
    return line(
      countMissing({
        snapshots: [snapshot],
        columns: [was],
        targets: [place],
        rows,
        isOrdered: false,
        isNumbered: false,
      }),
    )
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

import { quoteName } from "../schema/schema.ts"
import { balanced } from "./balanced.ts"

/** Rows up to which tables are compared without a key: SQLite sorts them all for that. */
export const exactRows = 100_000

/** Values of a table before a file, and where they have to be afterwards: in any one of the tables. */
export type KeptRows = {
  /** Holds the values of before, each column under its name in `columns`. */
  snapshot: string
  rows: number
  columns: string[]
  /** Those of them that identify a row, if every table has an index for them. */
  key: string[]
  targets: Target[]
  /** Columns of the snapshot that may be the number of the row, the likeliest first. */
  numbers: string[]
}

type Target = { table: string; value: (alias: string, column: string) => string }

/** An expression: how many rows of before are nowhere whole, of equal rows how many are too few. */
export function countMissing(kept: KeptRows): string {
  const { snapshot, rows, columns, key, targets, numbers } = kept
  if (columns.length === 0 || targets.length === 0) {
    const now = targets.map(({ table }) => ` - (SELECT count(*) FROM ${quoteName(table)})`)
    return `(SELECT count(${columns[0] ?? "*"}) FROM ${snapshot})${now.join("")}`
  }
  const byNumber = numbers.map(
    (number): Way =>
      () =>
        `b.rowid = a.${number}`,
  )
  const ways = key.length > 0 ? [...byNumber, foundBy(key)] : byNumber
  const quick = ways.map((way) => unfound(kept, way))
  const last =
    rows <= exactRows ? unequal(kept) : (quick.at(-1) ?? `(SELECT count(*) FROM ${snapshot})`)
  // SQLite takes the branches one after the other, so what is dear is counted only if it has to be.
  const first = quick.map((count) => `WHEN ${count} = 0 THEN 0`)
  return first.length === 0 ? last : `CASE ${first.join("\n")}\nELSE ${last} END`
}

/** What finds a row of a table, called `b`, for a row of before, called `a`. */
type Way = (target: Target) => string

/** Without a plus, so that the index of the table can be used. */
function foundBy(key: string[]): Way {
  return ({ value }) => key.map((one) => `${value("b", one)} = a.${one}`).join(" AND ")
}

function unfound({ snapshot, columns, targets }: KeptRows, way: Way): string {
  const found = targets.map((target) => {
    // A plus keeps SQLite from converting one value to the type of the other: '007' is not 7.
    const equal = columns.map((name) => `+${target.value("b", name)} IS a.${name} COLLATE BINARY`)
    const same = balanced([way(target), ...equal], "AND")
    return { table: `${quoteName(target.table)} AS b`, same }
  })
  const all = `SELECT count(*) FROM ${snapshot}`
  const [first] = found
  if (found.length === 1 && first !== undefined) {
    // A row is found once at most, and a join costs less than looking for each.
    return `(${all}) - (${all} AS a CROSS JOIN ${first.table} WHERE ${first.same})`
  }
  const nowhere = found.map(
    ({ table, same }) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE ${same})`,
  )
  return `(${all} AS a WHERE ${nowhere.join(" AND ")})`
}

/** Exactly, and as slowly as that takes. */
function unequal({ snapshot, columns, targets }: KeptRows): string {
  const list = columns.join(", ")
  const whole = columns.map((name) => `${name} COLLATE BINARY`).join(", ")
  const now = targets.map(({ table, value }) => {
    const values = columns.map((name) => `+${value("b", name)}`).join(", ")
    return `UNION ALL SELECT ${values}, -1 FROM ${quoteName(table)} AS b`
  })
  return `(SELECT coalesce(sum(missing), 0) FROM (SELECT sum(one) AS missing
FROM (SELECT ${list}, 1 AS one FROM ${snapshot} ${now.join("\n")})
GROUP BY ${whole} HAVING sum(one) > 0))`
}

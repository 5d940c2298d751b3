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
  /** Whether they were in more than one table, so that two of them may find the same row. */
  isShared?: boolean | undefined
  /** Whether each row must keep its number. */
  isNumbered?: boolean | undefined
  /** Columns of which the made-up texts lose blanks or capitals. */
  tidied?: string[]
  /** What else may stand in place of a value, by column. */
  allowed?: Map<string, string> | undefined
}

export type Target = { table: string; value: (alias: string, column: string) => string }

/** An expression: how many rows of before are nowhere whole, of equal rows how many are too few. */
export function countMissing(kept: KeptRows): string {
  const { snapshot, rows, columns, key, targets, numbers, isNumbered, allowed, isShared } = kept
  const byKey = isKeyed(kept)
  if (columns.length === 0 || targets.length === 0) return fewerRows(kept, columns[0])
  const byNumber = numbers.map(
    (number): Way =>
      () =>
        `b.rowid = a.${number}`,
  )
  // Of the ways to find a row the last one decides, and the dear one is left out where one does.
  const ways = byKey && isShared !== true ? [...byNumber, foundBy(key)] : byNumber
  const plain = ways.map((way) => unfound(kept, way))
  const wide = byNumber.map((way) => unfound(kept, way, true))
  if (byKey) wide.push(unpaired(kept))
  const isExact = rows <= exactRows && allowed === undefined && isNumbered !== true
  const exact = isExact ? [unequal(kept)] : []
  const tidied = isExact && !byKey ? unequalTidied(kept) : []
  const [same = `(SELECT count(*) FROM ${snapshot})`] = exact
  const keyed = wide.at(-1) ?? same
  // Each counts at least what is missing.
  const decides = exact.length === 0 ? keyed : byKey ? `min(${keyed}, ${same})` : same
  // SQLite takes the branches one after the other, so what is dear is counted only if it has to be.
  const all = [...new Set([...plain, ...wide, ...exact, ...tidied])].filter(
    (count) => count !== decides,
  )
  return all.length === 0
    ? decides
    : `CASE ${all.map((count) => `WHEN ${count} = 0 THEN 0`).join("\n")}\nELSE ${decides} END`
}

/** Whether its rows are found by their key. */
export function isKeyed({ key, isNumbered }: Pick<KeptRows, "key" | "isNumbered">): boolean {
  return key.length > 0 && isNumbered !== true
}

/** Of rows with a key: how many are nowhere, whatever they hold; 0 where no more than `bound` lost their key. */
export function countGone(kept: KeptRows, bound: number): string {
  const all = `(SELECT count(*) FROM ${kept.snapshot})`
  return `CASE WHEN ${all} - ${paired(kept, [])} <= ${bound} THEN 0 ELSE ${unpaired({ ...kept, columns: [] })} END`
}

/** And how many are there, and hold something else. */
export function countChanged(kept: KeptRows): string {
  const { columns } = kept
  return `CASE WHEN ${paired(kept, [])} = ${paired(kept, columns)} THEN 0
ELSE ${unpaired(kept)} - ${unpaired({ ...kept, columns: [] })} END`
}

/**
 * Of rows that are found by their numbers: how many are there and hold something else. Where the
 * numbers are given anew, which nobody forbids, at most those of which no others went.
 */
export function countOverwritten(kept: KeptRows): string {
  const { columns, isNumbered } = kept
  const byNumber = `${paired(kept, [])} - ${paired(kept, columns)}`
  if (isNumbered === true) return byNumber
  return `min(${byNumber}, ${countMissing(kept)} - (${fewerRows(kept)}))`
}

/** @param column of which only the rows with a value count */
function fewerRows({ snapshot, targets }: KeptRows, column = "*"): string {
  const now = targets.map(({ table }) => ` - (SELECT count(*) FROM ${quoteName(table)})`)
  return `(SELECT count(${column}) FROM ${snapshot})${now.join("")}`
}

/** How many rows have their key or number still, and of these columns the same values or such that are allowed. */
function paired(kept: KeptRows, columns: string[]): string {
  const { snapshot, targets, key } = kept
  const found = targets.map((target) => {
    const own = isKeyed(kept)
      ? [foundBy(key)(target), ...key.map((one) => isSame(target.value("b", one), `a.${one}`))]
      : ["b.rowid = a.n"]
    const same = balanced([...own, ...allowedCells(kept, columns, target)], "AND")
    return { table: quoteName(target.table), same }
  })
  const [first] = found
  const all = `SELECT count(*) FROM ${snapshot} AS a`
  if (found.length === 1 && first !== undefined) {
    return `(${all} CROSS JOIN ${first.table} AS b WHERE ${first.same})`
  }
  const there = found.map(({ table, same }) => `EXISTS (SELECT 1 FROM ${table} AS b WHERE ${same})`)
  return `(${all} WHERE ${there.join(" OR ")})`
}

/**
 * How many rows of before find no row of their own by their key, which may have been tidied: of those
 * whose keys became one, all but one. Each takes the row whose key is the likest.
 */
function unpaired(kept: KeptRows): string {
  const { snapshot, columns, targets, key } = kept
  const found = targets.map((target, index) => {
    const keys = key.map(
      (one) => [`+${target.value("b", one)} COLLATE BINARY`, `a.${one}`] as const,
    )
    const name = keys.map(([now]) => `quote(${now})`).join(" || ',' || ")
    const unlike = keys.map(
      ([now, was]) =>
        `CASE ${now} WHEN ${was} THEN 0 WHEN trim(${was}) THEN 1 WHEN lower(${was}) THEN 2 ELSE 3 END`,
    )
    const same = [foundByTidied(key)(target), ...allowedCells(kept, columns, target)]
    return `SELECT '${index} ' || ${name} AS name, ${balanced(unlike, "+")} AS unlike FROM ${quoteName(target.table)} AS b WHERE ${balanced(same, "AND")}`
  })
  const own = `(SELECT name FROM (${found.join(" UNION ALL ")}) ORDER BY unlike LIMIT 1)`
  return `(SELECT count(*) - count(DISTINCT found) FROM (SELECT ${own} AS found FROM ${snapshot} AS a))`
}

/** How often rows of before are there more often than they were; those of NULL alone tell nothing. */
export function countRepeated({ snapshot, columns, targets }: KeptRows): string {
  const [target] = targets
  if (target === undefined) return "0"
  const some = columns.slice(0, mostTogether).map((name) => `${name} IS NOT NULL`)
  const sums = grouped({ snapshot, columns, targets })
  return `CASE WHEN (SELECT count(*) FROM ${quoteName(target.table)}) <= (SELECT count(*) FROM ${snapshot}) THEN 0
ELSE (SELECT coalesce(sum(-missing), 0) FROM (${sums} HAVING max(one) = 1 AND sum(one) < 0 AND ${balanced(some, "OR")})) END`
}

/** What finds a row of a table, called `b`, for a row of before, called `a`. */
type Way = (target: Target) => string

/** Without a plus, so that the index of the table can be used. */
function foundBy(key: string[]): Way {
  return ({ value }) => key.map((one) => `${value("b", one)} = a.${one}`).join(" AND ")
}

/** A key may have been tidied, too. */
function foundByTidied(key: string[]): Way {
  return ({ value }) =>
    key.map((one) => `${value("b", one)} IN (${tidiedOf(`a.${one}`)})`).join(" AND ")
}

function tidiedOf(was: string): string {
  return `${was}, trim(${was}), lower(${was}), lower(trim(${was}))`
}

/** A SELECT of the numbers of before that the same rows have still. */
export function keptNumbers(kept: KeptRows): string {
  const [target] = kept.targets
  if (target === undefined) return "NULL"
  const same = ["b.rowid = a.n", ...allowedCells(kept, kept.columns, target)]
  return `SELECT a.n FROM ${kept.snapshot} AS a CROSS JOIN ${quoteName(target.table)} AS b WHERE ${balanced(same, "AND")}`
}

/** A plus keeps SQLite from converting one value to the type of the other: '007' is not 7. */
function isSame(now: string, was: string): string {
  return `+${now} IS ${was} COLLATE BINARY`
}

/** The same value, one where there was none, or a text without its blanks or capitals. */
function isAllowed(now: string, was: string, more: string | undefined): string {
  const other = more === undefined ? "" : ` OR ${more.replaceAll("NOW", () => now)}`
  return `(${was} IS NULL${other} OR CASE typeof(${was}) WHEN 'text' THEN +${now} COLLATE BINARY IN (${tidiedOf(was)}) ELSE ${isSame(now, was)} END)`
}

function allowedCells({ allowed }: KeptRows, columns: string[], { value }: Target): string[] {
  return columns.map((name) => isAllowed(value("b", name), `a.${name}`, allowed?.get(name)))
}

function unfound(kept: KeptRows, way: Way, isWide = false): string {
  const { snapshot, columns, targets } = kept
  const found = targets.map((target) => {
    const cells = isWide
      ? allowedCells(kept, columns, target)
      : columns.map((name) => isSame(target.value("b", name), `a.${name}`))
    const same = balanced([way(target), ...cells], "AND")
    return { table: `${quoteName(target.table)} AS b`, same, found: way(target) }
  })
  const all = `SELECT count(*) FROM ${snapshot} AS a`
  const [first] = found
  if (found.length === 1 && first !== undefined) {
    // A join costs less than looking for each. Where no row of b was found, the comparison is NULL.
    return `(${all} LEFT JOIN ${first.table} ON ${first.same} WHERE (${first.found}) IS NULL)`
  }
  const nowhere = found.map(
    ({ table, same }) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE ${same})`,
  )
  return `(${all} WHERE ${nowhere.join(" AND ")})`
}

/** A result of D1 has no more columns, and one of them counts. */
const mostTogether = 99

/** Exactly, and as slowly as that takes. */
function unequal(kept: KeptRows): string {
  const { columns } = kept
  if (columns.length > mostTogether) {
    const halves = [columns.slice(0, mostTogether), columns.slice(-mostTogether)]
    return halves.map((some) => unequal({ ...kept, columns: some })).join(" + ")
  }
  return `(SELECT coalesce(sum(missing), 0) FROM (${grouped(kept)} HAVING sum(one) > 0))`
}

/** The same of rows that have lost their blanks, capitals or both on the way, in whatever order they are. */
function unequalTidied({ tidied = [], ...kept }: KeptRows): string[] {
  if (tidied.length === 0) return []
  return ["trim(NOW)", "lower(NOW)", "lower(trim(NOW))"].map((way) => {
    const cells = kept.columns.map((name) => {
      const now = way.replace("NOW", name)
      return tidied.includes(name)
        ? `iif(typeof(${name}) = 'text', ${now}, ${name}) AS ${name}`
        : name
    })
    return unequal({ ...kept, snapshot: `(SELECT ${cells.join(", ")} FROM ${kept.snapshot})` })
  })
}

function grouped({
  snapshot,
  columns,
  targets,
}: Pick<KeptRows, "snapshot" | "columns" | "targets">) {
  const some = columns.slice(0, mostTogether)
  const list = some.join(", ")
  const whole = some.map((name) => `${name} COLLATE BINARY`).join(", ")
  const now = targets.map(({ table, value }) => {
    const values = some.map((name) => `+${value("b", name)}`).join(", ")
    return `UNION ALL SELECT ${values}, -1 FROM ${quoteName(table)} AS b`
  })
  return `SELECT sum(one) AS missing FROM (SELECT ${list}, 1 AS one FROM ${snapshot} ${now.join("\n")})
GROUP BY ${whole}`
}

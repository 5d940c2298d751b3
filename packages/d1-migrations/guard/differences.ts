import { declaredName } from "../files/declarations.ts"
import type { Home } from "../reading/homes.ts"
import { literalsOf } from "../reading/parsed-script.ts"
import { isNumbered, isSameName, quoteName } from "../schema/schema.ts"
import { balanced, literal } from "../sql/literal.ts"
import {
  type Cell,
  countMissing,
  countRepeated,
  countUnfound,
  exactRows,
  isStrict,
  lineFor,
  pairedDifferences,
  said,
  type Target,
  type Unkeyed,
} from "./compare.ts"
import { movedOf } from "./moved-values.ts"
import {
  allowedOf,
  cellsOf,
  type Guarding,
  isCounted,
  isDeclaredColumn,
  nullableKey,
  pairingOf,
} from "./snapshot.ts"

/** Expressions: each says what has to be declared and is not. */
export function differencesOf(guarding: Guarding): string[] {
  const { one, kept, declarations, file } = guarding
  const { table, homes, bound, columns } = one
  const begin = file.names.declarations
  const name = declaredName(table.name)
  const rows = (count: string, text: string) =>
    lineFor(begin, `loses ${name}`, bound, [count, text])
  if (isCounted(guarding)) {
    const now = homes.map((home) => ` - (SELECT count(*) FROM ${quoteName(home.table.name)})`)
    return [rows(`max(0, (SELECT n FROM ${kept})${now.join("")})`, ` rows of ${name} are gone`)]
  }
  const lostColumns = goneOf(guarding)
  const moved = movedOf(guarding)
  const [home, ...otherHomes] = homes
  if (home === undefined) {
    const isSaid = [...columns.keys()].every((column) =>
      isDeclaredColumn(declarations, table.name, column),
    )
    const lostText = ` of the rows of ${name} are in no table any more`
    const everyRow = rows(`(SELECT count(*) FROM ${kept})`, lostText)
    return isSaid && moved.length > 0 ? moved : [everyRow, ...moved]
  }
  if (otherHomes.length > 0) return [...inAnyOf(guarding), ...lostColumns, ...moved]
  const cells = cellsOf(guarding, home)
  const pairing = pairingOf(one, home, declarations)
  const unkeyed = unkeyedOf(guarding, home, cells)
  const whole = wholeRows(guarding, home, unkeyed, cells)
  const reports: string[] = []
  if (pairing === undefined) reports.push(...whole)
  else {
    const now = home.table.name
    const compared = { table: table.name, snapshot: kept, now, cells, bound, begin }
    const paired = pairedDifferences({ ...compared, pairing })
    const keys = pairing.by === "number" ? [] : nullableKey(table)
    const nulls = keys.map((key) => `${columns.get(key)} IS NULL`)
    // What has no key is found by no key.
    reports.push(
      nulls.length === 0
        ? paired
        : `CASE WHEN EXISTS (SELECT 1 FROM ${kept} WHERE ${nulls.join(" OR ")}) THEN ${balanced(whole, "||")} ELSE ${paired} END`,
    )
  }
  const isReference = (key: string) =>
    table.foreignKeys.some((each) => each.columns.some((column) => isSameName(column, key)))
  const isOwnKey = (key: string) => table.primaryKey.join() === key && !isReference(key)
  const isAgain = home.same ? one.isRepeated : pairing === undefined && guarding.isShared !== true
  const repeatable = cells
    .filter((cell) => isAgain && isStrict(cell) && !(home.same && isOwnKey(cell.name)))
    .map(({ was }) => was)
  if (repeatable.length > 0) {
    const repeated = countRepeated({ ...unkeyed, columns: repeatable })
    const repeatedText = ` rows of ${name} are there more often than before`
    reports.push(lineFor(begin, `repeats ${name}`, one.repeats, [repeated, repeatedText]))
  }
  return [...reports, ...constantsOf(guarding, home, cells), ...lostColumns, ...moved]
}

/** Values of columns that no home has. */
function goneOf({ one, kept, declarations, file }: Guarding): string[] {
  const { table, homes, columns } = one
  if (homes.length === 0) return []
  return [...columns].flatMap(([name, alias]) => {
    const { to, loses, empties } = allowedOf(declarations, table.name, name)
    const isElsewhere = homes.some((home) => home.columns.has(name)) || to !== undefined
    if (isElsewhere || loses === Infinity) return []
    const column = declaredName(table.name, name)
    const count = `(SELECT count(${alias}) FROM ${kept})`
    const text = ` values of ${column} are gone`
    return [lineFor(file.names.declarations, `loses ${column}`, loses + empties, [count, text])]
  })
}

function unkeyedOf({ one, kept, rows, isLive }: Guarding, home: Home, cells: Cell[]): Unkeyed {
  const isFound = isNumbered(home.table)
  return {
    snapshots: [kept],
    columns: cells.filter(isStrict).map(({ was }) => was),
    targets: [{ table: home.table.name, columns: new Map(cells.map(({ was, is }) => [was, is])) }],
    rows,
    isOrdered: isFound && isLive !== true && one.few === undefined && one.seeds.length === 0,
    isNumbered: isFound && one.isNumbered,
  }
}

/** Where no key and no number finds a row. Rows that go do not pay for values of others. */
function wholeRows(
  { one, kept, file, rows }: Guarding,
  home: Home,
  unkeyed: Unkeyed,
  cells: Cell[],
): string[] {
  const name = declaredName(one.table.name)
  const begin = file.names.declarations
  const { bound } = one
  const isBlind = rows > exactRows && (unkeyed.isOrdered || unkeyed.isNumbered)
  const blind = isBlind
    ? `: of more than ${exactRows} rows without a key each has to keep its number (INSERT INTO … (rowid, …) SELECT rowid, …) or its place`
    : ""
  const strict = cells.filter(isStrict)
  const differText = ` of the rows of ${name} are not as they were in ${home.table.name} (${strict.map((cell) => cell.name).join(", ")})${blind}`
  const now = quoteName(home.table.name)
  const fewer = `max(0, (SELECT count(*) FROM ${kept}) - (SELECT count(*) FROM ${now}))`
  const missing = countMissing(unkeyed)
  // Which columns it is, where one alone tells.
  const lines = strict.map((cell) => {
    const line = said(begin, [literal(`changes ${declaredName(one.table.name, cell.name)}`)])
    const missingOfColumn = countMissing({
      ...unkeyed,
      columns: [cell.was],
      isOrdered: false,
      isNumbered: false,
    })
    return { line, own: `CASE WHEN ${missingOfColumn} > ${fewer} THEN ${line} ELSE '' END` }
  })
  const everyLine = balanced(
    lines.map(({ line }) => line),
    "||",
  )
  const tellingLines = balanced(
    lines.map((each) => each.own),
    "||",
  )
  const advice =
    rows > exactRows ? everyLine : `coalesce(nullif(${tellingLines}, ''), ${everyLine})`
  const changed = `(SELECT CASE WHEN n > 0 THEN n || ${literal(differText)} || ${advice} ELSE '' END FROM (SELECT ${missing} - ${fewer} AS n))`
  return [
    lineFor(begin, `loses ${name}`, bound, [fewer, ` of the rows of ${name} are gone`]),
    ...(strict.length === 0 ? [] : [changed]),
    ...cells
      .filter((cell) => !isStrict(cell))
      .map((cell) => {
        const column = declaredName(one.table.name, cell.name)
        const filled = (value: string, from: string) =>
          `(SELECT count(*) FROM ${from} WHERE trim(${value}) <> '')`
        const values = cell.changes
          ? `max(0, ${filled(cell.was, kept)} - ${filled(cell.is, now)})`
          : countMissing({ ...unkeyed, columns: [...unkeyed.columns, cell.was] })
        const text = cell.changes
          ? ` values of ${column} are gone, and only declared to change`
          : ` values of ${column} are others than before`
        const does = cell.empties > 0 && !cell.changes ? "empties" : "loses"
        const most = bound + cell.loses + cell.empties
        return lineFor(begin, `${does} ${column}`, most, [values, text])
      }),
  ]
}

/** Of more than one table: the columns that are together in some of them, in any one of these. */
function inAnyOf(guarding: Guarding): string[] {
  const { one, kept, declarations, file, rows } = guarding
  const { table, homes, columns, bound } = one
  const name = declaredName(table.name)
  const strict = [...columns.keys()].filter(
    (column) =>
      !isDeclaredColumn(declarations, table.name, column) &&
      homes.some((home) => home.columns.has(column)),
  )
  const groups = Map.groupBy(strict, (column) =>
    homes.map((home) => Number(home.columns.has(column))).join(""),
  )
  const keyNames = table.primaryKey.filter((key) => strict.includes(key))
  return [...groups].map(([at, names]) => {
    const holding = homes.filter((_, index) => at[index] === "1")
    const plain = { ...one, keepsNumbers: false }
    const isKeyed =
      holding.every((home) => pairingOf(plain, { ...home, same: false }, declarations)) &&
      keyNames.length === table.primaryKey.length &&
      nullableKey(table).length === 0
    const targets = holding.map((home): Target => {
      const places = [...home.columns].flatMap(([before, is]): [string, string][] => {
        const as = columns.get(before)
        return as === undefined ? [] : [[as, quoteName(is)]]
      })
      return { table: home.table.name, columns: new Map(places) }
    })
    const as = (column: string) => columns.get(column) ?? ""
    const aliases = names.map(as)
    const where = holding.map((home) => home.table.name).join(" or ")
    const text = ` of the rows of ${name} differ or are missing in ${where} (${names.join(", ")})`
    // NULL of a column that some of them lack is nowhere else.
    const filled = aliases.map((column) => `${column} IS NOT NULL`).join(" OR ")
    const isPart = holding.length < homes.length
    const snapshot = isPart ? `(SELECT * FROM ${kept} WHERE ${filled})` : kept
    const unkeyed = { snapshots: [snapshot], columns: aliases, targets, rows }
    const count = isKeyed
      ? countUnfound(snapshot, aliases, keyNames.map(as), targets)
      : countMissing({ ...unkeyed, isOrdered: false, isNumbered: false })
    return lineFor(file.names.declarations, `loses ${name}`, bound, [count, text])
  })
}

/** Values that become one for all are gone, whatever is declared; those that the file names may. */
function constantsOf({ kept, file, one, reading }: Guarding, home: Home, cells: Cell[]): string[] {
  const changed = cells.filter(({ changes }) => changes)
  if (changed.length === 0) return []
  const texts = [...literalsOf(reading.steps.map(({ node }) => node))].slice(0, 50)
  return changed.map(({ name, was, is }) => {
    const column = declaredName(one.table.name, name)
    const unsaid = `${kept} WHERE ${was} NOT IN (${texts.join(", ") || "NULL"})`
    const from = texts.length === 0 ? kept : unsaid
    const isConstant = `(SELECT count(DISTINCT ${was}) FROM ${from}) > 1 AND (SELECT count(DISTINCT ${is}) FROM ${quoteName(home.table.name)}) = 1`
    const line = said(file.names.declarations, [literal(`loses ${column}`)])
    return `CASE WHEN ${isConstant} THEN ${literal(`one value stands in all rows of ${column}, and it is only declared to change`)} || ${line} ELSE '' END`
  })
}

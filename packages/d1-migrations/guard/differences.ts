import type { Destination } from "../analysis/destinations.ts"
import { literalsOf } from "../analysis/parsed-script.ts"
import { declaredName } from "../files/declarations.ts"
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
  declarationLine,
  type Target,
  type Unkeyed,
} from "./compare.ts"
import { movedDifferences } from "./moved-values.ts"
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
  const { guarded, snapshot, declarations, file } = guarding
  const { table, destinations, bound, columns } = guarded
  const begin = file.names.declarations
  const name = declaredName(table.name)
  const rows = (count: string, text: string) =>
    lineFor(begin, `loses ${name}`, bound, [count, text])
  if (isCounted(guarding)) {
    const now = destinations.map(
      (destination) => ` - (SELECT count(*) FROM ${quoteName(destination.table.name)})`,
    )
    return [rows(`max(0, (SELECT n FROM ${snapshot})${now.join("")})`, ` rows of ${name} are gone`)]
  }
  const lostColumns = goneOf(guarding)
  const moved = movedDifferences(guarding)
  const [destination, ...otherDestinations] = destinations
  if (destination === undefined) {
    const isSaid = [...columns.keys()].every((column) =>
      isDeclaredColumn(declarations, table.name, column),
    )
    const lostText = ` of the rows of ${name} are in no table any more`
    const everyRow = rows(`(SELECT count(*) FROM ${snapshot})`, lostText)
    return isSaid && moved.length > 0 ? moved : [everyRow, ...moved]
  }
  if (otherDestinations.length > 0) return [...inAnyOf(guarding), ...lostColumns, ...moved]
  const cells = cellsOf(guarding, destination)
  const pairing = pairingOf(guarded, destination, declarations)
  const unkeyed = unkeyedOf(guarding, destination, cells)
  const whole = wholeRows(guarding, destination, unkeyed, cells)
  const reports: string[] = []
  if (pairing === undefined) reports.push(...whole)
  else {
    const now = destination.table.name
    const compared = { table: table.name, snapshot: snapshot, now, cells, bound, begin }
    const paired = pairedDifferences({ ...compared, pairing })
    const keys = pairing.by === "number" ? [] : nullableKey(table)
    const nulls = keys.map((key) => `${columns.get(key)} IS NULL`)
    // What has no key is found by no key.
    reports.push(
      nulls.length === 0
        ? paired
        : `CASE WHEN EXISTS (SELECT 1 FROM ${snapshot} WHERE ${nulls.join(" OR ")}) THEN ${balanced(whole, "||")} ELSE ${paired} END`,
    )
  }
  const isReference = (key: string) =>
    table.foreignKeys.some((each) => each.columns.some((column) => isSameName(column, key)))
  const isOwnKey = (key: string) => table.primaryKey.join() === key && !isReference(key)
  const isAgain = destination.same
    ? guarded.isRepeated
    : pairing === undefined && guarding.isShared !== true
  const repeatable = cells
    .filter((cell) => isAgain && isStrict(cell) && !(destination.same && isOwnKey(cell.name)))
    .map(({ was }) => was)
  if (repeatable.length > 0) {
    const repeated = countRepeated({ ...unkeyed, columns: repeatable })
    const repeatedText = ` rows of ${name} are there more often than before`
    reports.push(lineFor(begin, `repeats ${name}`, guarded.repeats, [repeated, repeatedText]))
  }
  return [...reports, ...constantsOf(guarding, destination, cells), ...lostColumns, ...moved]
}

/** Reports values of columns that no destination has. */
function goneOf({ guarded, snapshot, declarations, file }: Guarding): string[] {
  const { table, destinations, columns } = guarded
  if (destinations.length === 0) return []
  return [...columns].flatMap(([name, alias]) => {
    const { to, loses, empties } = allowedOf(declarations, table.name, name)
    const isElsewhere =
      destinations.some((destination) => destination.columns.has(name)) || to !== undefined
    if (isElsewhere || loses === Infinity) return []
    const column = declaredName(table.name, name)
    const count = `(SELECT count(${alias}) FROM ${snapshot})`
    const text = ` values of ${column} are gone`
    return [lineFor(file.names.declarations, `loses ${column}`, loses + empties, [count, text])]
  })
}

function unkeyedOf(
  { guarded, snapshot, rows, isLive }: Guarding,
  destination: Destination,
  cells: Cell[],
): Unkeyed {
  const isFound = isNumbered(destination.table)
  return {
    snapshots: [snapshot],
    columns: cells.filter(isStrict).map(({ was }) => was),
    targets: [
      { table: destination.table.name, columns: new Map(cells.map(({ was, is }) => [was, is])) },
    ],
    rows,
    isOrdered:
      isFound && isLive !== true && guarded.few === undefined && guarded.seeds.length === 0,
    isNumbered: isFound && guarded.isNumbered,
  }
}

/** Where no key and no number finds a row. Rows that go do not pay for values of others. */
function wholeRows(
  { guarded, snapshot, file, rows }: Guarding,
  destination: Destination,
  unkeyed: Unkeyed,
  cells: Cell[],
): string[] {
  const name = declaredName(guarded.table.name)
  const begin = file.names.declarations
  const { bound } = guarded
  const isBlind = rows > exactRows && (unkeyed.isOrdered || unkeyed.isNumbered)
  const blind = isBlind
    ? `: of more than ${exactRows} rows without a key each has to keep its number (INSERT INTO … (rowid, …) SELECT rowid, …) or its place`
    : ""
  const strict = cells.filter(isStrict)
  const differText = ` of the rows of ${name} are not as they were in ${destination.table.name} (${strict.map((cell) => cell.name).join(", ")})${blind}`
  const now = quoteName(destination.table.name)
  const fewer = `max(0, (SELECT count(*) FROM ${snapshot}) - (SELECT count(*) FROM ${now}))`
  const missing = countMissing(unkeyed)
  // Which columns it is, where one alone tells.
  const lines = strict.map((cell) => {
    const line = declarationLine(begin, [
      literal(`changes ${declaredName(guarded.table.name, cell.name)}`),
    ])
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
        const column = declaredName(guarded.table.name, cell.name)
        const filled = (value: string, from: string) =>
          `(SELECT count(*) FROM ${from} WHERE trim(${value}) <> '')`
        const values = cell.changes
          ? `max(0, ${filled(cell.was, snapshot)} - ${filled(cell.is, now)})`
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
  const { guarded, snapshot, declarations, file, rows } = guarding
  const { table, destinations, columns, bound } = guarded
  const name = declaredName(table.name)
  const strict = [...columns.keys()].filter(
    (column) =>
      !isDeclaredColumn(declarations, table.name, column) &&
      destinations.some((destination) => destination.columns.has(column)),
  )
  const groups = Map.groupBy(strict, (column) =>
    destinations.map((destination) => Number(destination.columns.has(column))).join(""),
  )
  const keyNames = table.primaryKey.filter((key) => strict.includes(key))
  return [...groups].map(([at, names]) => {
    const holding = destinations.filter((_, index) => at[index] === "1")
    const plain = { ...guarded, keepsNumbers: false }
    const isKeyed =
      holding.every((destination) =>
        pairingOf(plain, { ...destination, same: false }, declarations),
      ) &&
      keyNames.length === table.primaryKey.length &&
      nullableKey(table).length === 0
    const targets = holding.map((destination): Target => {
      const places = [...destination.columns].flatMap(([before, is]): [string, string][] => {
        const as = columns.get(before)
        return as === undefined ? [] : [[as, quoteName(is)]]
      })
      return { table: destination.table.name, columns: new Map(places) }
    })
    const as = (column: string) => columns.get(column) ?? ""
    const aliases = names.map(as)
    const where = holding.map((destination) => destination.table.name).join(" or ")
    const text = ` of the rows of ${name} differ or are missing in ${where} (${names.join(", ")})`
    // NULL of a column that some of them lack is nowhere else.
    const filled = aliases.map((column) => `${column} IS NOT NULL`).join(" OR ")
    const isPart = holding.length < destinations.length
    const comparedRows = isPart ? `(SELECT * FROM ${snapshot} WHERE ${filled})` : snapshot
    const unkeyed = { snapshots: [comparedRows], columns: aliases, targets, rows }
    const count = isKeyed
      ? countUnfound(comparedRows, aliases, keyNames.map(as), targets)
      : countMissing({ ...unkeyed, isOrdered: false, isNumbered: false })
    return lineFor(file.names.declarations, `loses ${name}`, bound, [count, text])
  })
}

/** Reports a column whose values all become one: they are lost, whatever is declared, except values that the file names. */
function constantsOf(
  { snapshot, file, guarded, analysis }: Guarding,
  destination: Destination,
  cells: Cell[],
): string[] {
  const changed = cells.filter(({ changes }) => changes)
  if (changed.length === 0) return []
  const texts = [...literalsOf(analysis.steps.map(({ node }) => node))].slice(0, 50)
  return changed.map(({ name, was, is }) => {
    const column = declaredName(guarded.table.name, name)
    const unsaid = `${snapshot} WHERE ${was} NOT IN (${texts.join(", ") || "NULL"})`
    const from = texts.length === 0 ? snapshot : unsaid
    const isConstant = `(SELECT count(DISTINCT ${was}) FROM ${from}) > 1 AND (SELECT count(DISTINCT ${is}) FROM ${quoteName(destination.table.name)}) = 1`
    const line = declarationLine(file.names.declarations, [literal(`loses ${column}`)])
    return `CASE WHEN ${isConstant} THEN ${literal(`one value stands in all rows of ${column}, and it is only declared to change`)} || ${line} ELSE '' END`
  })
}

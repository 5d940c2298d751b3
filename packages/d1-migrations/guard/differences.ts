import { literalsOf } from "../analysis/parsed-script.ts"
import { declaredName } from "../files/declarations.ts"
import { isNumbered, isSameName, quoteName } from "../schema/schema.ts"
import { balanced, literal } from "../sql/literal.ts"
import {
  countByNumber,
  countFewer,
  countMissing,
  countRepeated,
  declarationLine,
  exactRows,
  isRow,
  isRowIn,
  reportOf,
  type Rows,
} from "./compare.ts"
import {
  type Cell,
  isDeclared,
  isGivenUp,
  isStrict,
  nullableKey,
  type Place,
} from "./guarded-tables.ts"
import { movedDifferences } from "./moved-values.ts"
import { pairedDifferences } from "./paired-rows.ts"
import { type Guarding, isCounted } from "./snapshot.ts"

/** Returns SQL expressions. Each evaluates to a report of undeclared differences, or to an empty text. */
export function differencesOf(guarding: Guarding): string[] {
  const { places, columns, snapshot } = guarding
  if (isCounted(guarding)) {
    const counts = places.map(({ table }) => ` - (SELECT count(*) FROM ${quoteName(table.name)})`)
    return [lostRows(guarding, `max(0, (SELECT n FROM ${snapshot})${counts.join("")})`, "are gone")]
  }
  const moved = movedDifferences(guarding)
  const [place, ...otherPlaces] = places
  if (place === undefined) {
    if (columns.every(isDeclared) && moved.length > 0) return moved
    return [
      lostRows(guarding, `(SELECT count(*) FROM ${snapshot})`, "are in no table any more"),
      ...moved,
    ]
  }
  const rows = otherPlaces.length > 0 ? inAnyOf(guarding) : inOne(guarding, place)
  return [...rows, ...lostColumns(guarding), ...moved]
}

function lostRows({ table, bound, file }: Guarding, count: string, loss: string): string {
  const name = declaredName(table.name)
  const text = ` of the rows of ${name} ${loss}`
  return reportOf(file.names.declarations, { count, text, does: `loses ${name}`, bound })
}

/** Reports lost values of columns that are in no destination. */
function lostColumns({ table, places, columns, snapshot, file }: Guarding): string[] {
  const lost = columns.filter(
    (column) =>
      column.to === undefined &&
      !isGivenUp(column) &&
      !places.some((place) => place.columns.has(column.name)),
  )
  return lost.map(({ name, was, loses, empties }) => {
    const column = declaredName(table.name, name)
    return reportOf(file.names.declarations, {
      count: `(SELECT count(${was}) FROM ${snapshot})`,
      text: ` values of ${column} are gone`,
      does: `loses ${column}`,
      bound: loses + empties,
    })
  })
}

function inOne(guarding: Guarding, place: Place): string[] {
  const { table, snapshot, file, repeats, isRepeated, isShared } = guarding
  const begin = file.names.declarations
  const whole = wholeRows(guarding, place)
  const reports = place.pairing === undefined ? whole : []
  if (place.pairing !== undefined) {
    const paired = pairedDifferences(guarding, place)
    const keys = place.pairing === "number" ? [] : nullableKey(guarding)
    const nulls = keys.map(({ was }) => `${was} IS NULL`).join(" OR ")
    // Rows with NULL in the key cannot be found by it, so compare whole rows.
    reports.push(
      keys.length === 0
        ? paired
        : `CASE WHEN EXISTS (SELECT 1 FROM ${snapshot} WHERE ${nulls}) THEN ${balanced(whole, "||")} ELSE ${paired} END`,
    )
  }
  const references = table.foreignKeys.flatMap((foreignKey) => foreignKey.columns)
  const isOwnKey = (key: string) =>
    table.primaryKey.join() === key && !references.some((name) => isSameName(name, key))
  const mayRepeat = place.same ? isRepeated : place.pairing === undefined && isShared !== true
  const repeatable = place.cells.filter(
    (cell) => mayRepeat && isStrict(cell) && !(place.same && isOwnKey(cell.name)),
  )
  if (repeatable.length > 0) {
    const name = declaredName(table.name)
    const count = countRepeated(rowsOf(guarding, place, repeatable))
    const text = ` rows of ${name} are there more often than before`
    reports.push(reportOf(begin, { count, text, does: `repeats ${name}`, bound: repeats }))
  }
  return [...reports, ...constants(guarding, place)]
}

function rowsOf({ snapshot }: Guarding, place: Place, cells: Cell[]): Rows {
  return {
    before: [{ from: snapshot, columns: cells.map(({ was }) => was) }],
    after: [{ table: place.table.name, columns: cells.map(({ is }) => is) }],
  }
}

/** Returns the columns of row numbers to find rows by. A snapshot of all rows also allows finding them by order. */
function numbersIn(
  { isLive, few, seedConditions, isNumbered: hasNumbers }: Guarding,
  { table }: Place,
) {
  const isOrdered = isLive !== true && few === undefined && seedConditions.length === 0
  const numbers = [...(isOrdered ? ["rowid"] : []), ...(hasNumbers ? ["n"] : [])]
  return isNumbered(table) ? numbers : []
}

function missingOf(guarding: Guarding, place: Place, cells: Cell[]): string {
  const rows = rowsOf(guarding, place, cells)
  const numbers = cells.length === 0 ? [] : numbersIn(guarding, place)
  const counts = numbers.map((number) => countByNumber(rows, number))
  if (counts.length === 0) return countMissing(rows)
  const most = `min(${counts.join(", ")}, ${Number.MAX_SAFE_INTEGER})`
  const exact = guarding.rows <= exactRows ? countMissing(rows) : most
  return `CASE ${counts.map((count) => `WHEN ${count} = 0 THEN 0`).join("\n")} ELSE ${exact} END`
}

/** Compares whole rows if no key or number finds them. Declared lost rows do not excuse changed values of others. */
function wholeRows(guarding: Guarding, place: Place): string[] {
  const { table, snapshot, file, rows, bound } = guarding
  const name = declaredName(table.name)
  const begin = file.names.declarations
  const strict = place.cells.filter(isStrict)
  const fewer = countFewer(rowsOf(guarding, place, []))
  const isLarge = rows > exactRows
  const lines = strict.map((cell) => {
    const line = declarationLine(begin, literal(`changes ${declaredName(table.name, cell.name)}`))
    // Name only the changed columns, if each column on its own shows a difference.
    const count = countMissing(rowsOf(guarding, place, [cell]))
    return { line, tells: `CASE WHEN ${count} > ${fewer} THEN ${line} ELSE '' END` }
  })
  const joined = (parts: string[]) => balanced(parts, "||")
  const everyLine = joined(lines.map(({ line }) => line))
  const advice = isLarge
    ? everyLine
    : `coalesce(nullif(${joined(lines.map(({ tells }) => tells))}, ''), ${everyLine})`
  const blind =
    isLarge && numbersIn(guarding, place).length > 0
      ? `: of more than ${exactRows} rows without a key each has to keep its number (INSERT INTO … (rowid, …) SELECT rowid, …) or its place`
      : ""
  const differ = ` of the rows of ${name} are not as they were in ${place.table.name} (${strict.map((cell) => cell.name).join(", ")})${blind}`
  const changed = `(SELECT CASE WHEN n > 0 THEN n || ${literal(differ)} || ${advice} ELSE '' END FROM (SELECT ${missingOf(guarding, place, strict)} - ${fewer} AS n))`
  const filled = (value: string, from: string) =>
    `(SELECT count(*) FROM ${from} WHERE trim(${value}) <> '')`
  const declared = place.cells
    .filter((cell) => !isStrict(cell))
    .map((cell) => {
      const { changes, empties, loses, was, is } = cell
      const column = declaredName(table.name, cell.name)
      const lost = `max(0, ${filled(was, snapshot)} - ${filled(is, quoteName(place.table.name))})`
      const loss = changes ? "are gone, and only declared to change" : "are others than before"
      return reportOf(begin, {
        count: changes ? lost : missingOf(guarding, place, [...strict, cell]),
        text: ` values of ${column} ${loss}`,
        does: `${empties > 0 && !changes ? "empties" : "loses"} ${column}`,
        bound: bound + loses + empties,
      })
    })
  return [
    lostRows(guarding, fewer, "are gone"),
    ...(strict.length === 0 ? [] : [changed]),
    ...declared,
  ]
}

/** Compares a table with several destinations. Columns with the same destinations must match in any one of them. */
function inAnyOf(guarding: Guarding): string[] {
  const { places, columns, snapshot } = guarding
  const strict = columns.filter(
    (column) => !isDeclared(column) && places.some((place) => place.columns.has(column.name)),
  )
  const groups = Map.groupBy(strict, ({ name }) =>
    places.map((place) => Number(place.columns.has(name))).join(""),
  )
  return [...groups].map(([at, group]) => {
    const holding = places.filter((_, index) => at[index] === "1")
    const names = group.map(({ name }) => name)
    const where = holding.map((place) => place.table.name).join(" or ")
    const loss = `differ or are missing in ${where} (${names.join(", ")})`
    // If some destinations lack the columns, a row with only NULL in them needs no match.
    const filled = group.map(({ was }) => `${was} IS NOT NULL`).join(" OR ")
    const isPart = holding.length < places.length
    const from = isPart ? `(SELECT * FROM ${snapshot} WHERE ${filled})` : snapshot
    const cellsIn = ({ cells }: Place) => cells.filter(({ name }) => names.includes(name))
    const isKeyed = holding.every(({ key }) => key.length > 0) && nullableKey(guarding).length === 0
    if (isKeyed) {
      const matches = holding.map(
        (place) => `NOT ${isRowIn(quoteName(place.table.name), isRow(place.key, cellsIn(place)))}`,
      )
      return lostRows(
        guarding,
        `(SELECT count(*) FROM ${from} AS a WHERE ${balanced(matches, "AND")})`,
        loss,
      )
    }
    const rows: Rows = {
      before: [{ from, columns: group.map(({ was }) => was) }],
      after: holding.map((place) => {
        return { table: place.table.name, columns: cellsIn(place).map(({ is }) => is) }
      }),
    }
    return lostRows(guarding, countMissing(rows), loss)
  })
}

/** Reports columns in which all rows get the same value, even if declared to change. Ignores the file's literals. */
function constants({ snapshot, file, table, analysis }: Guarding, place: Place): string[] {
  const changed = place.cells.filter(({ changes }) => changes)
  if (changed.length === 0) return []
  const texts = [...literalsOf(analysis.steps.map(({ node }) => node))].slice(0, 50)
  return changed.map(({ name, was, is }) => {
    const column = declaredName(table.name, name)
    const where = texts.length === 0 ? "" : ` WHERE ${was} NOT IN (${texts.join(", ")})`
    const isConstant = `(SELECT count(DISTINCT ${was}) FROM ${snapshot}${where}) > 1 AND (SELECT count(DISTINCT ${is}) FROM ${quoteName(place.table.name)}) = 1`
    const line = declarationLine(file.names.declarations, literal(`loses ${column}`))
    return `CASE WHEN ${isConstant} THEN ${literal(`all rows have one value of ${column}, and it is only declared to change`)} || ${line} ELSE '' END`
  })
}

import { declaredName } from "../files/declarations.ts"
import type { Home } from "../reading/homes.ts"
import { literalsOf } from "../reading/literals.ts"
import { isNumbered, isSameName, quoteName } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"
import { balanced } from "./balanced.ts"
import {
  type Cell,
  countMissing,
  countRepeated,
  countUnfound,
  exactRows,
  pairedDifferences,
  said,
  type Target,
  type Unkeyed,
} from "./compare.ts"
import { movedOf } from "./moved-values.ts"
import {
  type Guarding,
  isCounted,
  declaredOf,
  nullableKey,
  pairingOf,
  cellsOf,
  lineFor,
} from "./snapshot.ts"

/** Expressions: each says what has to be declared and is not. */
export function differencesOf(guarding: Guarding): string[] {
  const { one, kept, declarations, file } = guarding
  const { table, homes, bound, columns } = one
  const begin = file.names.declarations
  const name = declaredName(table.name)
  if (isCounted(guarding)) {
    const now = homes.map((home) => ` - (SELECT count(*) FROM ${quoteName(home.table.name)})`)
    return [
      lineFor(
        begin,
        `max(0, (SELECT n FROM ${kept})${now.join("")})`,
        ` rows of ${name} are gone`,
        ["loses ", name],
        bound,
      ),
    ]
  }
  const gone = goneOf(guarding)
  const moved = movedOf(guarding)
  const [home, ...others] = homes
  if (home === undefined) {
    const isSaid = [...columns.keys()].every(
      (column) => declaredOf(declarations, table.name, column).length > 0,
    )
    const isMoved = isSaid && moved.length > 0
    const count = `(SELECT count(*) FROM ${kept})`
    const rows = lineFor(
      begin,
      count,
      ` of the rows of ${name} are in no table any more`,
      ["loses ", name],
      bound,
    )
    return isMoved ? moved : [rows, ...moved]
  }
  if (others.length > 0) return [...inAnyOf(guarding), ...gone, ...moved]
  const cells = cellsOf(guarding, home)
  const pairing = pairingOf(one, home, declarations)
  const compared = {
    table: table.name,
    snapshot: kept,
    now: home.table.name,
    cells,
    bound,
    begin,
  }
  const unkeyed = unkeyedOf(guarding, home, cells)
  const whole = wholeRows(guarding, home, unkeyed, cells)
  const all: string[] = []
  if (pairing === undefined) all.push(...whole)
  else {
    const paired = pairedDifferences({ ...compared, pairing })
    const keys = pairing.by === "number" ? [] : nullableKey(table)
    const nulls = keys.map((key) => `${columns.get(key)} IS NULL`)
    // What has no key is found by no key.
    all.push(
      nulls.length === 0
        ? paired
        : `CASE WHEN EXISTS (SELECT 1 FROM ${kept} WHERE ${nulls.join(" OR ")}) THEN ${balanced(whole, "||")} ELSE ${paired} END`,
    )
  }
  const isReference = (key: string) =>
    table.foreignKeys.some((each) => each.columns.some((column) => isSameName(column, key)))
  const again = home.same
    ? one.isRepeated
      ? unkeyed.columns.filter((column) => {
          const own = [...columns].find(([, as]) => as === column)?.[0] ?? ""
          return table.primaryKey.join() !== own || isReference(own)
        })
      : []
    : pairing === undefined && guarding.isShared !== true
      ? unkeyed.columns
      : []
  if (again.length > 0) {
    const repeated = countRepeated({ ...unkeyed, columns: again })
    all.push(
      lineFor(
        begin,
        repeated,
        ` rows of ${name} are there more often than before`,
        ["repeats ", name],
        one.repeats,
      ),
    )
  }
  return [...all, ...constantsOf(guarding, home, cells), ...gone, ...moved]
}

/** Values of columns that no home has. */
function goneOf({ one, kept, declarations, file }: Guarding): string[] {
  const { table, homes, columns } = one
  if (homes.length === 0) return []
  return [...columns].flatMap(([name, was]) => {
    const [first] = declaredOf(declarations, table.name, name)
    if (homes.some((home) => home.columns.has(name)) || first?.does === "moves values") return []
    const bound = first !== undefined && "atMost" in first ? first.atMost : 0
    if (bound === Number.MAX_SAFE_INTEGER) return []
    const column = declaredName(table.name, name)
    const count = `(SELECT count(${was}) FROM ${kept})`
    return [
      lineFor(
        file.names.declarations,
        count,
        ` values of ${column} are gone`,
        ["loses ", column],
        bound,
      ),
    ]
  })
}

function unkeyedOf({ one, kept, rows, isLive }: Guarding, home: Home, cells: Cell[]): Unkeyed {
  const strict = cells.filter(({ declared }) => declared === undefined)
  const places = new Map(cells.map(({ was, is }) => [was, is.slice(1, -1).replaceAll('""', '"')]))
  const target: Target = { table: home.table.name, columns: places }
  const isFound = isNumbered(home.table)
  return {
    snapshots: [kept],
    columns: strict.map(({ was }) => was),
    targets: [target],
    rows,
    isOrdered: isFound && isLive !== true && one.few === undefined && one.seeds.length === 0,
    isNumbered: isFound && one.isNumbered,
  }
}

/** Where no key and no number finds a row. */
function wholeRows(
  { one, kept, file, rows }: Guarding,
  home: Home,
  unkeyed: Unkeyed,
  cells: Cell[],
): string[] {
  const name = declaredName(one.table.name)
  const begin = file.names.declarations
  const { bound } = one
  const missing = countMissing(unkeyed)
  const isBlind = rows > exactRows && (unkeyed.isOrdered || unkeyed.isNumbered)
  const blind = isBlind
    ? `: of more than ${exactRows} rows without a key each has to keep its number (INSERT INTO … (rowid, …) SELECT rowid, …) or its place`
    : ""
  const what = ` of the rows of ${name} are not as they were in ${home.table.name} (${cells.map((cell) => cell.name).join(", ")})${blind}`
  const now = `(SELECT count(*) FROM ${quoteName(home.table.name)})`
  // Rows that go do not pay for values of others.
  const fewer = `max(0, (SELECT count(*) FROM ${kept}) - ${now})`
  const changed = ` of the rows of ${name} hold something else, and only rows are declared to go: say of each column what becomes of it (-- ${begin}:changes ${name}.COLUMN: REASON)`
  const declared = cells.filter((cell) => cell.declared !== undefined)
  return [
    lineFor(begin, missing, what, ["loses ", name], bound),
    ...(bound > 0
      ? [
          `(SELECT CASE WHEN n > 0 THEN n || ${literal(`${changed}\n`)} ELSE '' END FROM (SELECT max(0, ${missing} - ${fewer}) AS n))`,
        ]
      : []),
    ...declared.flatMap((cell) => {
      const column = declaredName(one.table.name, cell.name)
      if (cell.declared === "changes") {
        const filled = (value: string, from: string) =>
          `(SELECT count(*) FROM ${from} WHERE trim(${value}) <> '')`
        const count = `max(0, ${filled(cell.was, kept)} - ${filled(cell.is, quoteName(home.table.name))})`
        return [
          lineFor(
            begin,
            count,
            ` values of ${column} are gone, and only declared to change`,
            ["loses ", column],
            bound,
          ),
        ]
      }
      const with_ = countMissing({ ...unkeyed, columns: [...unkeyed.columns, cell.was] })
      return [
        lineFor(
          begin,
          with_,
          ` values of ${column} are others than before`,
          [cell.declared === "empties" ? "empties " : "loses ", column],
          bound + cell.bound,
        ),
      ]
    }),
  ]
}

/** Of more than one table: the columns that are together in some of them, in any one of these. */
function inAnyOf(guarding: Guarding): string[] {
  const { one, kept, declarations, file, rows } = guarding
  const { table, homes, columns, bound } = one
  const begin = file.names.declarations
  const name = declaredName(table.name)
  const strict = [...columns.keys()].filter(
    (column) =>
      declaredOf(declarations, table.name, column).length === 0 &&
      homes.some((home) => home.columns.has(column)),
  )
  const groups = Map.groupBy(strict, (column) =>
    homes.map((home) => Number(home.columns.has(column))).join(""),
  )
  const keyNames = table.primaryKey.filter((key) => strict.includes(key))
  return [...groups].flatMap(([at, names]) => {
    const some = homes.filter((_, index) => at[index] === "1")
    const keyed = some.filter((home) => {
      const pairing = pairingOf(
        { ...one, keepsNumbers: false },
        { ...home, same: false },
        declarations,
      )
      return pairing !== undefined
    })
    const targets = some.map((home): Target => {
      const places = [...home.columns].flatMap(([was, is]): [string, string][] => {
        const as = columns.get(was)
        return as === undefined ? [] : [[as, is]]
      })
      return { table: home.table.name, columns: new Map(places) }
    })
    const own = names.map((column) => columns.get(column) ?? "")
    const isKeyed =
      keyed.length === some.length &&
      keyNames.length === table.primaryKey.length &&
      nullableKey(table).length === 0
    const where = some.map((home) => home.table.name).join(" or ")
    const what = ` of the rows of ${name} differ or are missing in ${where} (${names.join(", ")})`
    // NULL of a column that some of them lack is nowhere else.
    const isPart = some.length < homes.length
    const filled = own.map((column) => `${column} IS NOT NULL`).join(" OR ")
    const snapshot = isPart ? `(SELECT * FROM ${kept} WHERE ${filled})` : kept
    const count = isKeyed
      ? countUnfound(
          snapshot,
          own,
          keyNames.map((key) => columns.get(key) ?? ""),
          targets,
        )
      : countMissing({
          snapshots: [snapshot],
          columns: own,
          targets,
          rows,
          isOrdered: false,
          isNumbered: false,
        })
    return [lineFor(begin, count, what, ["loses ", name], bound)]
  })
}

/** Values that become one for all are gone, whatever is declared; those that the file names may. */
function constantsOf({ kept, file, one, reading }: Guarding, home: Home, cells: Cell[]): string[] {
  const changed = cells.filter(({ declared }) => declared === "changes")
  if (changed.length === 0) return []
  const texts = [...literalsOf(reading.steps.map(({ node }) => node))].slice(0, 50)
  return changed.map(({ name, was, is }) => {
    const column = declaredName(one.table.name, name)
    const now = quoteName(home.table.name)
    const unsaid = `${kept} WHERE ${was} NOT IN (${texts.join(", ") || "NULL"})`
    const from = texts.length === 0 ? kept : unsaid
    const isConstant = `(SELECT count(DISTINCT ${was}) FROM ${from}) > 1 AND (SELECT count(DISTINCT ${is}) FROM ${now}) = 1`
    const line = said(file.names.declarations, [literal(`loses ${column}`)])
    return `CASE WHEN ${isConstant} THEN ${literal(`one value stands in all rows of ${column}, and it is only declared to change`)} || ${line} ELSE '' END`
  })
}

import { declaredName, type Declaration } from "../files/declarations.ts"
import { type Home, movedTo } from "../reading/homes.ts"
import { literalsOf } from "../reading/literals.ts"
import { isNumbered, isRowid, isSameName, quoteName } from "../schema/schema.ts"
import { literal } from "../sql/literal.ts"
import { balanced } from "./balanced.ts"
import {
  type Cell,
  countMissing,
  countRepeated,
  countUnfound,
  exactRows,
  most,
  type Pairing,
  pairedDifferences,
  said,
  type Target,
  type Unkeyed,
} from "./compare.ts"
import type { GuardedTable, Judged } from "./guarded-tables.ts"
import { checkNumbers, numberColumns } from "./number-references.ts"
import { compareReferences, mayBreakReferences, recordReferences } from "./references.ts"
import { refuseWhen } from "./refusal-statement.ts"
import { chunked, eachOnce } from "./seeded-conditions.ts"
import { keepSequences, recordSequences, renumberedTables, sequencesSetBack } from "./sequences.ts"
import { comparedRows, type TableSize } from "./size.ts"

/** Statements that run in one request with a file, and fail it if it takes what it does not declare. */
export type Guard = {
  before: string[]
  /** By the number of the statement of the file before which they run. */
  within: Map<number, string[]>
  after: string[]
  /** Fails the request with all that they found. */
  end: string[]
  /** Rows of the tables that are compared whole, as they were counted before. */
  rows: Record<string, number>
}

/** What is refused, so that all of it is said at once. */
const refused = "d1_migrations_refused"

export const createRefused = `CREATE TABLE IF NOT EXISTS ${refused} (file TEXT, what TEXT);`

/** With this begins what a trial of all files of a run says. */
export const trialMark = "trial: "

/** Fails in any case, with all that the guards of all files found. */
export const endOfTrial = refuseWhen({
  what: `(SELECT '${trialMark}' || coalesce(group_concat(file || ': ' || what, ''), '') FROM ${refused})`,
  from: "(SELECT 1)",
  when: "1",
})

/** Undefined for a file that only adds. */
export function guardOf(
  judged: Judged,
  tables: GuardedTable[],
  sizes: TableSize[],
): Guard | undefined {
  const renumbered = renumberedTables(judged)
  const references = mayBreakReferences(judged.file)
  if (tables.length + renumbered.length === 0 && !references) return undefined
  const counts = sizes.map(({ table, rows }) => [table, rows])
  const guard: Guard = {
    before: [createRefused],
    within: new Map(),
    after: [],
    end: [
      refuseWhen({
        what: "what",
        from: `(SELECT group_concat(what, '') AS what FROM ${refused})`,
        when: "what <> ''",
      }),
      `DROP TABLE ${refused};`,
    ],
    rows: Object.fromEntries(counts),
  }
  const refuse = (what: string) =>
    `INSERT INTO ${refused} SELECT ${literal(judged.file.name)}, what FROM (SELECT ${what} AS what) WHERE what <> '';`
  const guarding = tables.map((one, index): Guarding => {
    const size = sizes.find(({ table }) => table === one.table.name)
    return { ...judged, one, rows: size?.rows ?? 0, kept: `d1_migrations_before_${index}` }
  })
  const shared = sharedHomes(guarding)
  for (const each of guarding) {
    const isShared = shared.some((some) => some.includes(each))
    each.isShared = isShared
    const moment = isShared ? undefined : momentOf(each)
    if (moment !== undefined) {
      const { number, from, to } = moment
      const kept = `(SELECT ${snapshotColumns(each.one)} FROM ${quoteName(from)})`
      const checks = differencesOf({ ...each, kept }, to).map(refuse)
      checks.push(...numbersOf(each, `SELECT rowid FROM ${quoteName(from)}`, to).map(refuse))
      guard.within.set(number, [...(guard.within.get(number) ?? []), ...checks])
      continue
    }
    guard.before.push(...snapshotOf(each))
    guard.after.push(...differencesOf(each).map(refuse))
    if (!isCounted(each)) {
      guard.after.push(...numbersOf(each, `SELECT n FROM ${each.kept}`).map(refuse))
    }
  }
  guard.after.push(...shared.flatMap(togetherOf).map(refuse))
  for (const each of guarding) {
    if (guard.before.some((sql) => sql.includes(`TABLE ${each.kept} `))) {
      guard.after.push(`DROP TABLE ${each.kept};`)
    }
  }
  if (renumbered.length > 0) {
    guard.before.push(recordSequences(renumbered))
    const isWritten = judged.reading.steps.some(({ effect }) => effect?.writesSequences)
    // What the file says itself is compared; what a rebuild forgets is carried over.
    if (isWritten) guard.after.push(refuse(sequencesSetBack(judged.file.names.declarations)))
    guard.after.push(keepSequences)
  }
  if (references) {
    guard.before.push(recordReferences)
    guard.after.push(compareReferences(refuse))
  }
  return guard
}

/** `kept`: the name of a snapshot. */
type Guarding = Judged & {
  one: GuardedTable
  rows: number
  kept: string
  /** Whether rows of others come together with its own. */
  isShared?: boolean
}

/** Whether nothing but the number of its rows is compared. */
export function isCounted({ one, rows }: Pick<Guarding, "one" | "rows">): boolean {
  return rows > comparedRows && one.few === undefined && one.homes.some(({ same }) => same)
}

function snapshotColumns({ columns, isNumbered: numbered }: GuardedTable): string {
  const values = [...columns].map(([was, as]) => `+${quoteName(was)} AS ${as}`)
  return [...(numbered ? ["rowid AS n"] : []), ...values].join(", ")
}

function snapshotOf(guarding: Guarding): string[] {
  const { one, kept } = guarding
  const from = quoteName(one.table.name)
  if (isCounted(guarding)) return [`CREATE TABLE ${kept} AS SELECT count(*) AS n FROM ${from};`]
  const few = one.few === undefined ? "" : ` WHERE ${one.few}`
  return [
    `CREATE TABLE ${kept} AS SELECT ${snapshotColumns(one)} FROM ${from}${few};`,
    ...eachOnce(one.seeds)
      .flatMap(chunked)
      .map(
        (some) =>
          `DELETE FROM ${kept} WHERE rowid IN (SELECT min(rowid) FROM ${kept} WHERE ${balanced(some, "OR")} GROUP BY ${[...one.columns.values()].join(", ")});`,
      ),
  ]
}

/** The moment right before a table is dropped that has been copied whole: nothing has to be held for later. */
function momentOf({ one, reading, declarations }: Guarding) {
  const [home, ...others] = one.homes
  const live = reading.tables.first(one.table.name)
  const drop = reading.deeds.find((deed) => deed.does === "drop" && deed.table === live)
  if (home === undefined || others.length > 0 || drop?.does !== "drop" || live === undefined) {
    return undefined
  }
  const reshapes = reading.steps.some(
    ({ node }) => node?.type === "AlterTableStmt" && node.body.type !== "RenameToAlterTableBody",
  )
  const isMoved = declarations.some(
    (each) => each.does === "moves values" && isSameName(each.table, one.table.name),
  )
  const isLater = drop.isWritten || (reading.written.get(home.live) ?? 0) >= drop.number
  const isLoose = pairingOf(one, home, declarations) === undefined || one.seeds.length > 0
  const [from, to] = [drop.names.get(live), drop.names.get(home.live)]
  if (reshapes || isMoved || isLater || isLoose || from === undefined || to === undefined) {
    return undefined
  }
  return { number: drop.number, from, to }
}

function declaredOf(declarations: Declaration[], table: string, column: string): Declaration[] {
  return declarations.filter(
    (one) => "column" in one && isSameName(one.table, table) && isSameName(one.column, column),
  )
}

/** How the rows of a home are found; undefined where only whole rows can be looked for. */
function pairingOf(
  one: GuardedTable,
  home: Home,
  declarations: Declaration[],
): Pairing | undefined {
  const { table, columns } = one
  if (one.keepsNumbers && isNumbered(home.table)) return { by: "number" }
  const key = table.primaryKey.flatMap((name): [string, string][] => {
    const [was, is] = [columns.get(name), home.columns.get(name)]
    const isStrict = declaredOf(declarations, table.name, name).length === 0
    return was === undefined || is === undefined || !isStrict ? [] : [[was, is]]
  })
  const names = key.map(([, is]) => is)
  const isKey = home.table.uniques.some(
    (unique) => unique.length === names.length && unique.every((name) => names.includes(name)),
  )
  if (key.length > 0 && key.length === table.primaryKey.length && isKey) {
    return { by: key.map(([was, is]) => [was, quoteName(is)]) }
  }
  return home.same && one.isNumbered && isNumbered(home.table) ? { by: "number" } : undefined
}

/** Columns that have a place in a home, with what is declared of them; those that are declared to be elsewhere stand apart. */
function cellsOf({ one, declarations }: Guarding, home: Home): Cell[] {
  const { table, columns } = one
  return [...columns].flatMap(([name, was]): Cell[] => {
    const declared = declaredOf(declarations, table.name, name)
    const [first] = declared
    const cell = {
      name,
      was,
      is: quoteName(home.columns.get(name) ?? ""),
      declared: undefined,
      bound: 0,
    }
    if (first?.does === "moves values") {
      const to = home.table.columns.find((each) => isSameName(each.name, first.to.column))
      const isHere = isSameName(first.to.table, home.table.name) && to !== undefined
      return isHere ? [{ ...cell, is: quoteName(to.name) }] : []
    }
    if (!home.columns.has(name)) return []
    if (first?.does === "loses values") {
      return first.atMost === Number.MAX_SAFE_INTEGER
        ? []
        : [{ ...cell, declared: "loses", bound: first.atMost }]
    }
    if (first?.does === "changes") return [{ ...cell, declared: "changes" }]
    return [
      first?.does === "empties" ? { ...cell, declared: "empties", bound: first.atMost } : cell,
    ]
  })
}

/** Expressions: each says what has to be declared and is not. @param at the name of the home at another moment than the end */
function differencesOf(guarding: Guarding, at?: string): string[] {
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
    now: at ?? home.table.name,
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
    const nullable =
      pairing.by === "number"
        ? []
        : table.columns.filter(
            ({ name: key, notNull }) =>
              table.primaryKey.includes(key) &&
              !notNull &&
              !isRowid(table, key) &&
              !table.withoutRowid,
          )
    const nulls = nullable.map(({ name: key }) => `${columns.get(key)} IS NULL`)
    // What has no key is found by no key.
    all.push(
      nulls.length === 0 || at !== undefined
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
  return [...all, ...constantsOf(guarding, home, cells, at), ...gone, ...moved]
}

/** A line where more are counted than may be. */
function lineFor(
  begin: string,
  count: string,
  what: string,
  [does = "", name = ""]: string[],
  bound: number,
): string {
  const line = said(begin, [literal(`${does}${name}, at most `), "n", "' rows'"])
  return `(SELECT CASE WHEN n > ${most(bound)} THEN n || ${literal(what)} || ${line} ELSE '' END FROM (SELECT ${count} AS n))`
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

function unkeyedOf({ one, kept, rows }: Guarding, home: Home, cells: Cell[]): Unkeyed {
  const strict = cells.filter(({ declared }) => declared === undefined)
  const places = new Map(cells.map(({ was, is }) => [was, is.slice(1, -1).replaceAll('""', '"')]))
  const target: Target = { table: home.table.name, columns: places, isKeyed: false }
  const isFound = isNumbered(home.table)
  return {
    snapshots: [kept],
    columns: strict.map(({ was }) => was),
    targets: [target],
    rows,
    isOrdered: isFound && one.few === undefined && one.seeds.length === 0,
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
      return { table: home.table.name, columns: new Map(places), isKeyed: keyed.includes(home) }
    })
    const own = names.map((column) => columns.get(column) ?? "")
    const isKeyed = keyed.length === some.length && keyNames.length === table.primaryKey.length
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
function constantsOf(
  { kept, file, one, reading }: Guarding,
  home: Home,
  cells: Cell[],
  at?: string,
): string[] {
  const changed = cells.filter(({ declared }) => declared === "changes")
  if (changed.length === 0) return []
  const texts = [...literalsOf(reading.steps.map(({ node }) => node))].slice(0, 50)
  return changed.map(({ name, was, is }) => {
    const column = declaredName(one.table.name, name)
    const now = quoteName(at ?? home.table.name)
    const unsaid = `${kept} WHERE ${was} NOT IN (${texts.join(", ") || "NULL"})`
    const from = texts.length === 0 ? kept : unsaid
    const isConstant = `(SELECT count(DISTINCT ${was}) FROM ${from}) > 1 AND (SELECT count(DISTINCT ${is}) FROM ${now}) = 1`
    const line = said(file.names.declarations, [literal(`loses ${column}`)])
    return `CASE WHEN ${isConstant} THEN ${literal(`one value stands in all rows of ${column}, and it is only declared to change`)} || ${line} ELSE '' END`
  })
}

/** Values that are declared to be in other tables. */
function movedOf(guarding: Guarding): string[] {
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
      isKeyed: false,
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
  const pairing = pairingOf(one, home, declarations)
  if (pairing === undefined) return undefined
  const same =
    pairing.by === "number"
      ? ["h.rowid = a.n"]
      : pairing.by.map(([was, is]) => `h.${is} = a.${was}`)
  return `${quoteName(home.table.name)} AS h WHERE ${same.join(" AND ")}`
}

/** Numbers of rows that another table may hold, where a copy gives new ones. */
function numbersOf(
  { one, reading, kept, declarations, file }: Guarding,
  was: string,
  at?: string,
): string[] {
  const [home, ...others] = one.homes
  const isRenumbered =
    home !== undefined &&
    others.length === 0 &&
    !home.same &&
    one.isNumbered &&
    isNumbered(home.table) &&
    !one.table.columns.some(({ name }) => isRowid(one.table, name))
  if (!isRenumbered) return []
  const columns = numberColumns(reading, file.names, one.table)
  const snapshot =
    at === undefined ? kept : `(SELECT ${snapshotColumns(one)} FROM ${was.split(" FROM ")[1]})`
  const cells = cellsOf({ one, declarations } as Guarding, home)
  const same = cells.map(
    (cell) => `(a.${cell.was} IS NULL OR +b.${cell.is} IS a.${cell.was} COLLATE BINARY)`,
  )
  const join = balanced(["b.rowid = a.n", ...same], "AND")
  const stay = `SELECT a.n FROM ${snapshot} AS a CROSS JOIN ${quoteName(at ?? home.table.name)} AS b WHERE ${join}`
  return checkNumbers({ columns, table: one.table.name, was, kept: stay })
}

/** Tables whose rows come together in one. */
function sharedHomes(guarding: Guarding[]): Guarding[][] {
  const single = guarding.filter(
    (each) => each.one.homes.length === 1 && each.one.few === undefined && !isCounted(each),
  )
  const groups = Map.groupBy(single, ({ one }) => one.homes[0]?.live)
  return [...groups.values()].filter((some) => {
    const [first] = some
    const live = first?.one.homes[0]?.live
    // Rows of one are written into those of another on purpose.
    const isJoined = first?.reading.deeds.some(
      (deed) => deed.does === "copy" && deed.table === live && deed.conflict === "Update",
    )
    return some.length > 1 && isJoined !== true
  })
}

/** Of rows that are alike in two tables each has to be there. */
function togetherOf(some: Guarding[]): string[] {
  const [first] = some
  const home = first?.one.homes[0]
  if (first === undefined || home === undefined) return []
  const begin = first.file.names.declarations
  const names = some.map(({ one }) => one.table.name)
  const name = declaredName(names.at(-1) ?? "")
  const bound = some.reduce((sum, { one }) => sum + one.bound, 0)
  const now = `(SELECT count(*) FROM ${quoteName(home.table.name)})`
  const was = some.map(({ kept }) => `(SELECT count(*) FROM ${kept})`).join(" + ")
  const fewer = lineFor(
    begin,
    `max(0, ${was} - ${now})`,
    ` of the rows of ${names.join(" and ")} are missing in ${home.table.name}`,
    ["loses ", name],
    bound,
  )
  const cells = some.map((each) =>
    cellsOf(each, each.one.homes[0] ?? home).filter(({ declared }) => declared === undefined),
  )
  const common = (cells[0] ?? []).filter(({ is }) =>
    cells.every((own) => own.some((cell) => cell.is === is)),
  )
  if (common.length === 0) return [fewer]
  const columns = common.map((_, index) => `k${index}`)
  const snapshots = some.map(({ kept }, index) => {
    const list = common.map(
      ({ is }, at) => `${cells[index]?.find((cell) => cell.is === is)?.was} AS k${at}`,
    )
    return `(SELECT ${list.join(", ")} FROM ${kept})`
  })
  const places = new Map(
    common.map(({ is }, at) => [`k${at}`, is.slice(1, -1).replaceAll('""', '"')]),
  )
  const targets = [{ table: home.table.name, columns: places, isKeyed: false }]
  const rows = some.reduce((sum, each) => sum + each.rows, 0)
  const unkeyed = { snapshots, columns, targets, rows, isOrdered: false, isNumbered: false }
  const keyed = some.flatMap((each) => {
    const pairing = pairingOf(each.one, each.one.homes[0] ?? home, each.declarations)
    if (pairing === undefined) return []
    const keys =
      pairing.by === "number"
        ? []
        : pairing.by.toSorted(([, one], [, other]) => (one < other ? -1 : 1))
    return [keys.map(([as]) => as)]
  })
  if (keyed.length > 0) {
    // Rows with keys are compared one by one, and two of one key find the same row.
    const keys = keyed.map((own, index) => `SELECT ${own.join(", ")} FROM ${some[index]?.kept}`)
    const isAlike = keyed.length === some.length && keyed.every((own) => own.length > 0)
    const all = keys.reduce(
      (one, other) => `SELECT * FROM (${one}) UNION ${other}`,
      keys.shift() ?? "",
    )
    const twins = `${was} - (SELECT count(*) FROM (${all}))`
    const alike = lineFor(
      begin,
      twins,
      ` rows of ${names.join(" and ")} have a key that another one has, too`,
      ["loses ", name],
      bound,
    )
    return isAlike ? [fewer, alike] : [fewer]
  }
  const what = ` of the rows of ${names.join(" and ")} differ or are missing in ${home.table.name}`
  const repeats = some.reduce((sum, { one }) => sum + one.repeats, 0)
  return [
    lineFor(begin, countMissing(unkeyed), what, ["loses ", name], bound),
    lineFor(
      begin,
      countRepeated(unkeyed),
      ` rows of ${names.join(" and ")} are there more often than before`,
      ["repeats ", name],
      repeats,
    ),
  ]
}

import type { Classification } from "../classification/classification.ts"
import type { Declaration } from "../files/declarations.ts"
import type { Migration } from "../files/migration-files.ts"
import { parseScript } from "../lint/parsed-script.ts"
import { isOwnTable } from "../names.ts"
import { literalsIn } from "../provenance/literals.ts"
import { findTable, isNumbered, isRowid, isSameName, type Table } from "../schema/schema.ts"
import { folded } from "../sql/folded.ts"
import { literal } from "../sql/literal.ts"
import type { GuardedTable, Part } from "./guarded-table.ts"
import { isContentless, usesNumbers } from "./hidden-rows.ts"
import { type Home, isKeyOf, movedTo, pairsOf, placesOf, tablesOfRows, valueOf } from "./homes.ts"
import type { Target } from "./kept-rows.ts"
import { namedRows } from "./named-rows.ts"
import { numberColumns } from "./number-references.ts"
import { literalRowsIn } from "./seeded-conditions.ts"

export type Judged = {
  file: Migration
  before: Table[]
  classification: Classification
  declarations: Declaration[]
}

/** Of files with more literals the first. */
const mostSaid = 50

/** Columns of a table in SQLite, one of which a snapshot needs for the numbers of rows. */
const mostColumns = 100

export function guardedTables(judged: Judged): GuardedTable[] {
  const { before, classification, declarations } = judged
  return guardedNames(classification).flatMap((name): GuardedTable[] => {
    const table = findTable(before, name)
    const bound = declaredRows(declarations, "loses", name)
    if (table === undefined || bound === Number.MAX_SAFE_INTEGER) return []
    return [guarded(judged, table, bound)]
  })
}

/** And those to which values of them come: what is there already is not found in their place. */
function guardedNames({ reach, trial: { places } }: Classification): string[] {
  const { taken, added, repeated } = reach
  const receiving = new Set(places.flatMap(({ from, to }) => (taken.includes(from) ? to : [])))
  const there = places.filter(({ from, to }) => added.includes(from) && receiving.has(to))
  return [...new Set([...taken, ...there.map(({ from }) => from), ...repeated])]
}

function declaredRows(declarations: Declaration[], does: string, table: string): number {
  const declared = declarations.find(
    (one) => one.does === does && !("column" in one) && isSameName(one.table ?? "", table),
  )
  return declared !== undefined && "atMost" in declared ? declared.atMost : 0
}

function guarded(judged: Judged, table: Table, bound: number): GuardedTable {
  const { classification, declarations, file } = judged
  const { after, objects } = classification
  const isWordless = isContentless(objects, table)
  const isRenamed = declarations.some(
    (one) => one.does === "moves" && isSameName(one.table, table.name),
  )
  const places = placesOf(classification, table, declarations).filter(
    ({ same }) => same || !isWordless,
  )
  const stored = table.columns.filter(({ generated }) => !generated)
  const columns = new Map(stored.map(({ name }, index) => [name, `c${index}`]))
  const numbers = classification.reach.written.get(table.name) ?? []
  const statements = numbers.length === 0 ? [] : parseScript(file.sql)
  const writing = statements.filter(({ number }) => numbers.includes(number))
  const named = stored.length + 2 > mostColumns ? undefined : namedRows(table, writing)
  const declaredOf = (name: string) =>
    declarations.find(
      (one) => "column" in one && isSameName(one.table, table.name) && isSameName(one.column, name),
    )
  const strict = stored.map(({ name }) => name).filter((name) => declaredOf(name) === undefined)
  const tablesOf = (name: string) =>
    places.filter((place) => place.columns.some(([was]) => was === name)).map(({ to }) => to)
  const whereOf = (name: string) =>
    JSON.stringify(places.map((place) => place.columns.find(([was]) => was === name)?.[1]))
  const isAlike = (one: string, name: string) =>
    tablesOf(one).length > 0 && whereOf(one) === whereOf(name)
  const primary = table.columns.filter(({ inPrimaryKey }) => inPrimaryKey).map(({ name }) => name)
  const numbered = isNumbered(table) && stored.length < mostColumns
  const hasHome = places.some(({ isHome }) => isHome)
  const rowsAt = places.filter(({ isHome }) => isHome || !hasHome).map(({ to }) => to)
  // Rows of a table of which all may go.
  const isMixed = classification.trial.places.some(
    ({ from, to }) =>
      from !== table.name &&
      rowsAt.includes(to) &&
      declaredRows(declarations, "loses", from) === Number.MAX_SAFE_INTEGER,
  )

  const isTidied = (column: string) =>
    classification.trial.losses.some(
      (one) => one.kind === "tidied" && one.table === table.name && one.column === column,
    )
  const isReference = (name: string) =>
    table.foreignKeys.some((key) => key.columns.some((one) => isSameName(one, name)))
  const partOf = (
    tables: string[],
    own: string[],
    more: Partial<Part> = {},
    homes = places.filter(({ to }) => tables.includes(to)),
  ): Part => {
    const isMoved = hasHome && homes.length > 0 && homes.every(({ isHome }) => !isHome)
    const linked = homes.filter(({ isHome }) => !isHome || !hasHome)
    const isLinked = hasHome && linked.length > 0 && linked.every(({ key }) => key.length > 0)
    const names = isLinked ? [...new Set([...primary, ...own])] : own
    const isKeyed = (some: Home[]) =>
      primary.length > 0 &&
      primary.every((name) => names.includes(name)) &&
      some.every((one) => isKeyOf(pairsOf(one), primary, findTable(after, one.to)))
    const keyed = isKeyed(homes)
    const [home] = homes
    const now = findTable(after, home?.to ?? "")
    const counted = homes.length === 1 && now !== undefined && isNumbered(now)
    const isSome = isMoved || more.filled !== undefined
    const likely = home?.same === true || isSome ? ["n"] : ["rowid", "n"]
    const isRepeated = home?.same === true && classification.reach.repeated.includes(table.name)
    const isCopied = home?.same === false && !keyed && !isMixed
    // In a table that the file makes each row has its moved values once.
    const isShared = (to: string) =>
      declarations.some((one) => one.does === "moves values" && isSameName(one.to.table, to)) ||
      stored.some(({ name }) => !own.includes(name) && own.some((one) => isAlike(one, name)))
    const isMade =
      isMoved &&
      isLinked &&
      home !== undefined &&
      !isShared(home.to) &&
      findTable(judged.before, home.to) === undefined
    const mayBeMore = homes.length === 1 && (isMoved ? isMade : isRepeated || isCopied)
    const isNumber = (name: string) => isRepeated && primary.join() === name && !isReference(name)
    const must = usesNumbers(objects, table) && !isMoved && homes.length === 1 && numbered
    const keys = primary.map((name) => columns.get(name) ?? name)
    const targetOf = (place: Home): Target => ({
      table: place.to,
      value: (alias, column) => {
        const was = names.find((name) => columns.get(name) === column)
        return valueOf(alias, pairsOf(place).find((pair) => pair[0] === was)?.[1])
      },
    })
    return {
      names,
      places: tables,
      bound: 0,
      columns: names.map((name) => columns.get(name) ?? name),
      key: keyed ? keys : [],
      numbers: must ? ["n"] : counted ? likely.filter((name) => name === "rowid" || numbered) : [],
      isNumbered: must,
      tidied: names.flatMap((name) => (isTidied(name) ? (columns.get(name) ?? []) : [])),
      counted: mayBeMore
        ? names.flatMap((name) => (isNumber(name) ? [] : (columns.get(name) ?? [])))
        : [],
      filled: isMoved
        ? own.flatMap((name) => (primary.includes(name) ? [] : (columns.get(name) ?? [])))
        : [],
      targets: homes.map(targetOf),
      ...more,
    }
  }

  const isGiven = (name: string) => named?.columns.includes(folded(name)) === true
  const allowedIn = (names: string[]) => {
    const given = names
      .filter(isGiven)
      .map((name): [string, string] => [columns.get(name) ?? "", "a.named"])
    return given.length === 0 ? {} : { allowed: new Map(given) }
  }
  // Columns that become rows of one column are looked for one by one.
  const turnOf = (name: string) => {
    const alike = strict.filter((one) => isAlike(one, name))
    return [alike.indexOf(name), ...tablesOf(name)].join("\n")
  }
  const whole = tablesOfRows(primary, (name) => (strict.includes(name) ? tablesOf(name) : []))
  /** Of columns that some of them lack only the values are looked for: NULL is nowhere else. */
  const valuesIn = (tables: string[], own: string[]) => {
    if (tables.length >= whole.length || !tables.every((one) => whole.includes(one))) return {}
    return { filled: own.map((name) => columns.get(name) ?? name) }
  }
  const together = Map.groupBy(strict, turnOf)
  const parts = [...together.values()].flatMap((own): Part[] => {
    const tables = tablesOf(own[0] ?? "")
    if (tables.length === 0) return []
    const isThere = (name: string) => tables.every((one) => tablesOf(name).includes(one))
    const keys = primary.filter((name) => strict.includes(name) && isThere(name))
    const names = [...new Set([...keys, ...own])]
    return [partOf(tables, names, { ...allowedIn(names), ...valuesIn(tables, own) })]
  })
  const declared = stored.flatMap(({ name }): Part[] => {
    const one = declaredOf(name)
    if (one === undefined || !("column" in one)) return []
    const tables = tablesOf(name).slice(0, 1)
    const keys = primary.filter((key) => strict.includes(key))
    const names = [...keys, name]
    const column = columns.get(name) ?? name
    if (one.does === "moves values") {
      const home = places.find(({ isHome }) => isHome)
      const moved = movedTo(one.to, { table, after, home, column: name })
      if (moved === undefined) return [partOf([], [name])]
      return [partOf([moved.to], moved.isHome ? names : [name], {}, [moved])]
    }
    const allow = (now: string) =>
      tables.length === 0
        ? []
        : [
            partOf(tables, names, {
              allowed: new Map([[column, now]]),
              ...valuesIn(tables, [name]),
            }),
          ]
    if (one.does === "changes") {
      const isFound = primary.length > 0 || places.some(({ same }) => same)
      return isFound && keys.length === primary.length ? allow("trim(NOW) <> ''") : []
    }
    const bounded = tables.length === 0 ? [name] : names
    return [
      ...(one.atMost < Number.MAX_SAFE_INTEGER
        ? [partOf(tables, bounded, { bound: one.atMost, ...valuesIn(tables, [name]) })]
        : []),
      ...(one.does === "empties" ? allow("NOW IS NULL") : []),
    ]
  })
  const changed = stored.flatMap(({ name }) => {
    if (declaredOf(name)?.does !== "changes") return []
    const { targets } = partOf(tablesOf(name).slice(0, 1), [name])
    const said = literalsIn(parseScript(file.sql).map(({ node }) => node))
    const texts = [...said.numbers, ...[...said.texts].map(literal)].map(String)
    return [{ name, column: columns.get(name) ?? name, targets, said: texts.slice(0, mostSaid) }]
  })
  const gone = strict.filter((name) => places.length > 0 && tablesOf(name).length === 0)
  const isCounted = !parts.some(({ places: some }) => rowsAt.some((name) => some.includes(name)))
  const foreign = judged.before.filter(({ name }) => !isOwnTable(name, file.names))
  const isRenumbered =
    rowsAt.length === 1 &&
    numbered &&
    !places.some(({ same }) => same) &&
    !table.columns.some(({ name }) => isRowid(table, name)) &&
    isNumbered(findTable(after, rowsAt[0] ?? "") ?? table)
  return {
    table,
    numberColumns: isRenumbered ? numberColumns(classification, foreign, table) : [],
    targets: places.map(({ to }) => to),
    places,
    own: rowsAt,
    isAddedTo: classification.reach.added.includes(table.name),
    copy: isRenamed ? undefined : classification.copies.get(table.name),
    dropped: !places.some(({ same }) => same),
    bound,
    repeats: declaredRows(declarations, "repeats", table.name),
    columns,
    numbered,
    parts: [
      ...parts,
      ...declared,
      ...gone.map((name) => partOf([], [name])),
      ...(isCounted ? [{ ...partOf(rowsAt, []), names: ["its rows"] }] : []),
    ],
    changed,
    named,
    literalRows: literalRowsIn(classification.literalRows.get(table.name) ?? [], columns),
  }
}

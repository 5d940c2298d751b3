import { type ChangeKind, kindsOf } from "./change-kinds.ts"
import { filledColumns } from "./filled-rows.ts"
import type { Former, IsFree, IsFresh, Traced, Unfound } from "./former.ts"
import { empty, type HeldTable } from "./held-tables.ts"
import { findLinked, findMoved } from "./moved-cells.ts"
import { homesOf, type Place } from "./places.ts"
import { matchRows } from "./same-rows.ts"

/** What became of values that are not where they were, nor moved. */
export type Fate = {
  kind: ChangeKind
  table: string
  held: HeldTable
  /** What stands where a row had its value. */
  after: (row: number) => string | undefined
  /** Undefined for whole rows. */
  column: string | undefined
  /** Positions of the rows. */
  rows: number[]
  /** Of whole rows that are nowhere as they were: the columns without which each has a row of its own. */
  filled?: string[]
}

/** Before and after, of the first of its rows. */
export function exampleOf({
  held,
  column,
  rows: [row = 0],
  after,
}: Fate): [string, string | undefined] {
  const index = held.columns.indexOf(column ?? "")
  return [held.rows[row]?.cells[index] ?? empty, after(row)]
}

type Says = (table: string, doing: "delete" | "empty") => boolean

type Moment = {
  formers: Former[]
  /** Tables that the file made or wrote, and that may hold what others held before. */
  targets: HeldTable[]
  /** All tables. */
  all: HeldTable[]
  /** Names of tables into which an INSERT has put rows of their own again. */
  repeating: Set<string>
  /** Whether this is all that statements do to the rows of a table, and no key or trigger does more. */
  says: Says
}

export function fatesOf({ formers, targets, all, repeating, says }: Moment): {
  fates: Fate[]
  places: Place[]
} {
  const traced = formers.map((former): Traced => {
    const { held: from, home: to, columns: map, same } = former
    return { ...former, twins: to === undefined ? [] : matchRows({ from, to, map, same }) }
  })
  const tracing = { traced, targets, all, says, fresh: freshAmong(traced) }
  const first = trace(tracing, new Set())
  const exchanged = exchangedAmong(first)
  const followed = exchanged.size === 0 ? first : trace(tracing, exchanged)
  const fates = followed.flatMap(({ former, unfound }) => {
    const repeated = repeating.has(former.held.name) ? repeatedRows(former) : []
    return describe(former, unfound).concat(repeated)
  })
  return { fates, places: [...homesOf(formers), ...followed.flatMap(({ places }) => places)] }
}

type Tracing = Pick<Moment, "targets" | "all" | "says"> & { traced: Traced[]; fresh: IsFresh }

type Followed = { former: Traced; unfound: Unfound; places: Place[] }

/** @param exchanged names of tables whose rows are in none but their own */
function trace({ traced, targets, all, says, fresh }: Tracing, exchanged: Set<string>): Followed[] {
  return traced.map((former) => {
    const { held, home, same } = former
    const places: Place[] = []
    const unfound = unfoundCells(former)
    const isFree = isMovable(former, (name, doing) => !exchanged.has(name) && says(name, doing))
    const columns = findLinked({ former, all, unfound })
    if (home !== undefined && columns.length > 0) {
      places.push({ from: held.name, to: home.name, columns, same })
    }
    // Columns that have become rows are found there one after the other.
    const lookIn = (target: HeldTable, found: string[] = []): void => {
      if (unfound.size === 0) return
      const moved = findMoved({ former, target, unfound, fresh, isFree, found })
      if (moved.columns.length === 0) return
      places.push({ from: held.name, to: target.name, same: false, ...moved })
      lookIn(target, [...found, ...moved.columns.map(([was]) => was)])
    }
    for (const target of targets) lookIn(target)
    return { former, unfound, places }
  })
}

/** Tables of which most rows are in another one, whose own are in turn, by one or more, in the first. */
function exchangedAmong(followed: Followed[]): Set<string> {
  const left = followed.filter(({ former, former: { held, home } }) => {
    const there = held.rows.filter((_, row) => isThere(former, row))
    return home !== undefined && there.length * 2 < held.rows.length
  })
  const next = new Map(
    left.map(({ former: { held }, places }) => [
      held.name,
      left.flatMap(({ former }) =>
        former.held !== held && places.some(({ to }) => to === former.home?.name)
          ? [former.held.name]
          : [],
      ),
    ]),
  )
  const reached = (from: string, seen = new Set<string>()): Set<string> => {
    for (const name of next.get(from) ?? []) if (!seen.has(name)) reached(name, seen.add(name))
    return seen
  }
  return new Set([...next.keys()].filter((name) => reached(name).has(name)))
}

/** Whether a cell of now was not there before. */
function freshAmong(traced: Traced[]): IsFresh {
  const homes = new Map(
    traced.map((former) => {
      const { home, twins } = former
      const rows = new Map(twins.map((other, row) => [other, row]))
      return [home?.name, { former, rows }]
    }),
  )
  return (table, other, position) => {
    const home = homes.get(table.name)
    const row = home?.rows.get(other)
    if (home === undefined || row === undefined) return true
    const { held, columns } = home.former
    return held.rows[row]?.cells[columns.indexOf(position)] !== table.rows[other]?.cells[position]
  }
}

/**
 * Whether another table may have what was in a cell: all of a table whose name nobody has, columns that
 * go, and of others only rows and values that are taken in words. What a reader finds where a value was
 * is not excused by a copy. A DELETE says which rows go only where nothing else takes any: of those that
 * a filter, a new key or another table in its place takes along, nobody has said a word.
 */
function isMovable(former: Traced, says: Says): IsFree {
  const { held, home, columns, same } = former
  const isDeleting = same && says(held.name, "delete")
  const isEmptying = same && says(held.name, "empty")
  const now = (row: number, index: number) => afterIn(former, index)(row)
  return (row, index) =>
    home === undefined ||
    (index !== undefined && columns[index] === undefined) ||
    (isDeleting && !isThere(former, row)) ||
    (index !== undefined && isEmptying && now(row, index) === empty)
}

/** Without its key a row is another one, and where there is none, without most of what it held. */
function isThere(former: Traced, row: number): boolean {
  const { held, twins, columns } = former
  const cells = held.rows[row]?.cells ?? []
  const some = held.key.length > 0 ? held.key : [...columns.keys()]
  const alike = some.filter((index) => afterIn(former, index)(row) === cells[index])
  return twins[row] !== undefined && alike.length * 2 >= some.length
}

/** What stands where a row had its value. */
function afterIn({ home, columns, twins }: Traced, index: number): Fate["after"] {
  const position = columns[index]
  return (row) =>
    position === undefined ? undefined : home?.rows[twins[row] ?? -1]?.cells[position]
}

function unfoundCells(former: Traced): Unfound {
  const { held, twins } = former
  const unfound: Unfound = new Map()
  const afters = held.columns.map((_, index) => afterIn(former, index))
  for (const [row, { cells }] of held.rows.entries()) {
    // What is generated is stored nowhere, or made of what is.
    const lost = cells.flatMap((value, index) =>
      value === empty || held.generated.has(index) || afters[index]?.(row) === value ? [] : [index],
    )
    // A row of nothing but NULL may be gone as well.
    if (lost.length > 0 || twins[row] === undefined) unfound.set(row, new Set(lost))
  }
  return unfound
}

function describe(former: Traced, unfound: Unfound): Fate[] {
  const { held } = former
  const table = held.name
  const gone = new Set(goneRows(former, unfound))
  const none = () => undefined
  const lost = held.columns.flatMap((column, index) => {
    const after = afterIn(former, index)
    const rows = [...unfound].flatMap(([row, some]) =>
      some.has(index) && !gone.has(row) ? [row] : [],
    )
    const kinds = Map.groupBy(rows, kindsOf({ held, index, rows, after }))
    return [...kinds].map(([kind, some]): Fate => ({
      kind,
      table,
      held,
      after,
      column,
      rows: some,
    }))
  })
  const filled = held.columns.flatMap((column, index): Fate[] => {
    const after = afterIn(former, index)
    const rows = held.rows.flatMap(({ cells }, row) =>
      cells[index] === empty && (after(row) ?? empty) !== empty ? [row] : [],
    )
    return rows.length === 0 ? [] : [{ kind: "tidied", table, held, after, column, rows }]
  })
  const others = [...lost, ...filled]
  if (gone.size === 0) return others
  const rows = [...gone]
  const without = filledColumns(former, rows)
  if (without.size > 0) {
    for (const { kind, column = "" } of others) if (kind === "tidied") without.add(column)
  }
  return [
    { kind: "row", table, held, after: none, column: undefined, rows, filled: [...without] },
    ...others,
  ]
}

/** Rows of which nothing but keys and references is left. */
function goneRows({ held, twins }: Traced, unfound: Unfound): number[] {
  const isOwn = (index: number) => !held.key.includes(index) && !held.references.has(index)
  const valuedIn = (row: number) =>
    (held.rows[row]?.cells ?? []).flatMap((value, index) => (value === empty ? [] : [index]))
  const missing = [...unfound].filter(([row]) => twins[row] === undefined)
  const isMoved = missing.some(([row, lost]) =>
    valuedIn(row).some((index) => isOwn(index) && !lost.has(index)),
  )
  return missing.flatMap(([row, lost]) => {
    const valued = valuedIn(row)
    const own = valued.filter(isOwn)
    const needed = isMoved || own.length === 0 ? valued : own
    return needed.every((index) => lost.has(index)) ? [row] : []
  })
}

/** Rows that are there more often but for a key of one column, which is a number or a name alone. */
function repeatedRows({ held, home, columns }: Traced): Fate[] {
  const own = columns.flatMap((position, index) => {
    const isNumber = held.key.join() === `${index}` && !held.references.has(index)
    return position === undefined || isNumber || held.generated.has(index)
      ? []
      : [[index, position]]
  })
  const textsOf = (rows: HeldTable["rows"] = [], at: number) =>
    rows.map(({ cells }) => own.map((pair) => cells[pair[at] ?? 0] ?? empty))
  const counts = Map.groupBy(textsOf(home?.rows, 1), (cells) => cells.join("\n"))
  const was = textsOf(held.rows, 0)
  const before = Map.groupBy(was, (cells) => cells.join("\n"))
  const rows = was.flatMap((cells, row) => {
    const text = cells.join("\n")
    const isMore = (counts.get(text)?.length ?? 0) > (before.get(text)?.length ?? 0)
    const isKeyed = held.key.every((index) => held.rows[row]?.cells[index] !== empty)
    return isMore && isKeyed && cells.some((value) => value !== empty) ? [row] : []
  })
  const { name: table } = held
  if (rows.length === 0) return []
  return [{ kind: "repeat", table, held, after: () => undefined, column: undefined, rows }]
}

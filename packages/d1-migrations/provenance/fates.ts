import type { Former, Home, Unfound } from "./former.ts"
import { empty, type HeldTable } from "./held-tables.ts"
import { findLinked, findMoved } from "./moved-cells.ts"
import { homesOf, type Place } from "./places.ts"
import { isTidied, matchRows } from "./same-rows.ts"

type Kind =
  /** The whole row is nowhere. */
  | "row"
  /** The value is nowhere, though the rest of the row is. */
  | "value"
  /** A reference has no value any more. */
  | "link"
  /** Another value stands there that was made of this one. */
  | "change"
  /** The same, but trimmed, in lower case, or in place of NULL. */
  | "tidied"

/** What became of values that are not where they were, nor moved. */
export type Fate = {
  kind: Kind
  table: string
  held: HeldTable
  /** What stands where a row had its value. */
  after: (row: number) => string | undefined
  /** Undefined for whole rows. */
  column: string | undefined
  /** Positions of the rows. */
  rows: number[]
  /** How many rows there were, or how many had a value. */
  of: number
  /** Before and after, of the first of them. */
  example: [string, string | undefined]
}

type Moment = {
  formers: Former[]
  /** Tables that the file made or wrote, and that may hold what others held before. */
  targets: HeldTable[]
  /** All tables. */
  all: HeldTable[]
}

export function fatesOf({ formers, targets, all }: Moment): { fates: Fate[]; places: Place[] } {
  const places: Place[] = []
  const homes = new Map(
    formers.flatMap((former) =>
      former.home === undefined ? [] : [[former, matchHome(former)] as const],
    ),
  )
  /** For each row of a table of now, what it held before. */
  const origins = new Map<string, Origins>()
  for (const [former, matched] of homes) {
    if (former.home !== undefined) origins.set(former.home.name, originsOf(former, matched))
  }
  const fates = formers.flatMap((former) => {
    const home = homes.get(former)
    const unfound = unfoundCells(former, home)
    if (unfound.size === 0) return tidied(former, home ?? [])
    const fresh = (table: HeldTable, row: number, position: number): boolean =>
      origins.get(table.name)?.get(row)?.get(position) !== table.rows[row]?.cells[position]
    if (former.home !== undefined) {
      const columns = findLinked({ former, home, all, unfound })
      const [from, to] = [former.held.name, former.home.name]
      if (columns.length > 0) places.push({ from, to, columns, same: former.same })
    }
    for (const target of targets) {
      const moved = findMoved({ former, home, target, unfound, fresh })
      if (moved.columns.length === 0) continue
      places.push({ from: former.held.name, to: target.name, same: false, ...moved })
    }
    return [...describe({ former, home, unfound }), ...tidied(former, home ?? [])]
  })
  return { fates, places: [...homesOf(formers), ...places] }
}

function matchHome({ held, home, columns, same }: Former): Home {
  return home === undefined ? [] : matchRows({ from: held, to: home, map: columns, same })
}

type Origins = Map<number, Map<number, string>>

function originsOf({ held, columns }: Former, matched: Home): Origins {
  const origins: Origins = new Map()
  for (const [row, other] of matched.entries()) {
    if (other === undefined) continue
    const cells = new Map<number, string>()
    for (const [index, position] of columns.entries()) {
      if (position !== undefined) cells.set(position, held.rows[row]?.cells[index] ?? empty)
    }
    origins.set(other, cells)
  }
  return origins
}

function unfoundCells({ held, home: now, columns }: Former, home: Home | undefined): Unfound {
  const unfound: Unfound = new Map()
  for (const [row, { cells }] of held.rows.entries()) {
    const other = home?.[row]
    const twin = other === undefined ? undefined : now?.rows[other]
    const differing = cells.flatMap((value, index) => {
      const position = columns[index]
      return position !== undefined && twin?.cells[position] === value ? [] : [index]
    })
    // What is generated is stored nowhere, or made of what is.
    const lost = differing.filter((index) => cells[index] !== empty && !held.generated.has(index))
    // A row of nothing but NULL may be gone as well.
    if (lost.length > 0 || twin === undefined) unfound.set(row, new Set(lost))
  }
  return unfound
}

type Describing = { former: Former; home: Home | undefined; unfound: Unfound }

function describe({ former, home, unfound }: Describing): Fate[] {
  const { held, home: now, columns } = former
  const isOwn = (index: number) => !held.key.includes(index) && !held.references.has(index)
  const gone: number[] = []
  const byColumn = new Map<number, number[]>()
  const isMoved = [...unfound].some(
    ([row, lost]) =>
      home?.[row] === undefined &&
      held.columns.some(
        (_, index) => isOwn(index) && held.rows[row]?.cells[index] !== empty && !lost.has(index),
      ),
  )
  for (const [row, lost] of unfound) {
    const cells = held.rows[row]?.cells ?? []
    const valued = cells.flatMap((value, index) => (value === empty ? [] : [index]))
    const own = valued.filter(isOwn)
    const some = own.length > 0 ? own : valued
    const isKept = isMoved && valued.some((index) => !lost.has(index))
    if (home?.[row] === undefined && !isKept && some.every((index) => lost.has(index))) {
      gone.push(row)
      continue
    }
    for (const index of lost) byColumn.set(index, [...(byColumn.get(index) ?? []), row])
  }
  const table = held.name
  const whole: Fate[] =
    gone.length === 0
      ? []
      : [
          {
            kind: "row",
            table,
            held,
            after: () => undefined,
            column: undefined,
            rows: gone,
            of: held.rows.length,
            example: [empty, undefined],
          },
        ]
  const values = [...byColumn].flatMap(([index, rows]) => {
    const position = columns[index]
    const after = (row: number) => {
      const twin = now?.rows[home?.[row] ?? -1]
      return position === undefined ? undefined : twin?.cells[position]
    }
    const kinds = kindsOf({ held, index, rows, after })
    return [...Map.groupBy(rows, (row) => kinds(row))].map(([kind, some]): Fate => {
      const [first = 0] = some
      const of = held.rows.filter(({ cells }) => cells[index] !== empty).length
      const column = held.columns[index]
      const example: Fate["example"] = [held.rows[first]?.cells[index] ?? empty, after(first)]
      return { kind, table, held, after, column, rows: some, of, example }
    })
  })
  return [...whole, ...values]
}

type Changing = {
  held: HeldTable
  index: number
  rows: number[]
  after: (row: number) => string | undefined
}

/** What happened to values of one column: not to one alone, as a constant is made of none of them. */
function kindsOf({ held, index, rows, after }: Changing): (row: number) => Kind {
  const others = new Set(
    held.rows.flatMap(({ cells }) =>
      cells.filter((value, column) => column !== index && value.length > 12),
    ),
  )
  const own = new Map(held.rows.map(({ cells }, row) => [cells[index] ?? empty, row]))
  const results = rows.flatMap((row) => after(row) ?? [])
  const distinct = new Set(results).size
  const sources = new Set(rows.map((row) => held.rows[row]?.cells[index])).size
  return (row) => {
    const [was, is] = [held.rows[row]?.cells[index] ?? empty, after(row)]
    if (is === undefined) return "value"
    if (is === empty) return held.references.has(index) ? "link" : "value"
    if (isTidied(was, is)) return "tidied"
    if (others.has(is) || (own.has(is) && own.get(is) !== row)) return "value"
    return distinct > 1 && distinct * 2 > sources ? "change" : "value"
  }
}

/** NULL in place of which something stands. */
function tidied({ held, home: now, columns }: Former, home: Home): Fate[] {
  return columns.flatMap((position, index): Fate[] => {
    if (position === undefined) return []
    const after = (row: number) => now?.rows[home[row] ?? -1]?.cells[position]
    const rows = held.rows.flatMap(({ cells }, row) => {
      const is = after(row)
      return cells[index] === empty && is !== undefined && is !== empty ? [row] : []
    })
    const [first] = rows
    if (first === undefined) return []
    const of = held.rows.length
    const [table, column] = [held.name, held.columns[index]]
    const example: Fate["example"] = [empty, after(first)]
    return [{ kind: "tidied", table, held, after, column, rows, of, example }]
  })
}

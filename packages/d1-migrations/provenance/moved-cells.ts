import { isSameName } from "../schema/schema.ts"
import type { IsFree, IsFresh, Traced, Unfound } from "./former.ts"
import { empty, type HeldTable } from "./held-tables.ts"
import type { Place } from "./places.ts"
import { type ColumnMap, matchRows } from "./same-rows.ts"

type Moving = {
  former: Traced
  target: HeldTable
  unfound: Unfound
  fresh: IsFresh
  isFree: IsFree
  /** Columns that are found there already. */
  found: string[]
}

type Moved = Required<Pick<Place, "columns" | "key">>

/**
 * Takes what another table, or other columns of the same one, hold whole in a row that can be joined.
 * Returns the columns, where they are now, and the key by which each row finds its own.
 */
export function findMoved({ former, target, unfound, fresh, isFree, found }: Moving): Moved {
  const { held, home, twins } = former
  const isHome = target.name === home?.name
  const isAlone = (index: number, value = empty) => held.index[index]?.get(value)?.length === 1
  /** How many values of each column are there. */
  const counts: number[] = []
  const map: ColumnMap = held.columns.map((column, index) => {
    const own = isHome && former.columns[index] !== undefined
    // Who reads a column that stays finds nothing in another one.
    if (own || (found.includes(column) && !held.key.includes(index))) return undefined
    const hits = target.index.map((values, position) => {
      const hit = { fresh: 0, all: 0 }
      for (const row of unfound.keys()) {
        const value = held.rows[row]?.cells[index] ?? empty
        if (value === empty || !isAlone(index, value)) continue
        const rows = values.get(value) ?? []
        if (rows.length > 0) hit.all += 1
        if (rows.some((one) => fresh(target, one, position))) hit.fresh += 1
      }
      return hit
    })
    const named = target.columns.findIndex((name) => isSameName(name, column))
    const most = Math.max(0, ...hits.map((one) => one.fresh))
    // What was there before tells which row it is, as a key does that both tables have.
    const known = Math.max(0, ...hits.map((one) => one.all))
    counts[index] = Math.max(most, known)
    // Where others have some of its values, too, it is a coincidence.
    if (named >= 0 && (most === 1 || (hits[named]?.fresh ?? 0) * 2 >= most)) return named
    if (most > 0 && most * 2 > known) return hits.findIndex((one) => one.fresh === most)
    if (named >= 0) return named
    return known > 1 ? hits.findIndex((one) => one.all === known) : undefined
  })
  // Of columns that come together each is looked for by itself.
  const later = map.flatMap((position, index) => {
    const alike = [...map.keys()].filter((one) => position !== undefined && map[one] === position)
    const most = Math.max(...alike.map((one) => counts[one] ?? 0))
    const first = alike.find((one) => counts[one] === most) ?? index
    return first === index ? [] : [index]
  })
  for (const index of later) map[index] = undefined
  const matched = isHome ? twins : matchRows({ from: held, to: target, map, same: false })
  if (!isHome && found.length === 0) guessColumns({ held, target, map, matched, unfound, later })
  for (const index of exchangedColumns(held, target, map)) map[index] = undefined
  const taken = new Set<number>()
  const linked = new Set(held.key)
  for (const [row, columns] of unfound) {
    const other = matched[row]
    const cells = held.rows[row]?.cells ?? []
    const twin = other === undefined ? undefined : target.rows[other]
    if (other === undefined || twin === undefined) continue
    const holds = (index: number) => {
      const position = map[index]
      return position !== undefined && twin.cells[position] === cells[index]
    }
    const known = cells.flatMap((_, index) => (holds(index) ? [index] : []))
    for (const index of columns) {
      const position = map[index]
      if (position === undefined || !holds(index) || !isFree(row, index)) continue
      const tied = known.some(
        (one) => (one !== index || home === undefined) && isAlone(one, cells[one]),
      )
      const whole = known.length >= cells.filter((value) => value !== empty).length
      const isNew = fresh(target, other, position)
      const isRow = isFree(row) && known.some((one) => fresh(target, other, map[one] ?? -1))
      if ((isHome || tied || whole) && (isNew || isRow)) {
        columns.delete(index)
        taken.add(index)
        for (const one of held.key) if (!known.includes(one)) linked.delete(one)
      }
    }
    if (columns.size === 0 && known.length > 0 && isFree(row)) unfound.delete(row)
  }
  const whereabouts = (index: number): Place["columns"][number] => [
    held.columns[index] ?? "",
    { column: target.columns[map[index] ?? -1] ?? "" },
  ]
  const key = linked.size === held.key.length ? held.key.map(whereabouts) : []
  return { columns: [...taken].map(whereabouts), key }
}

/**
 * Columns whose values stand under the name of another one, whose own stand elsewhere: a copy that named its
 * columns in another order. Who reads them by name finds what is not theirs.
 */
function exchangedColumns(held: HeldTable, target: HeldTable, map: ColumnMap): number[] {
  return held.columns.flatMap((column, index) => {
    const own = target.columns.findIndex((one) => isSameName(one, column))
    const position = map[index]
    if (position === undefined || own < 0 || position === own || !map.includes(own)) return []
    const now = target.columns[position] ?? ""
    const named = held.columns.findIndex((one) => isSameName(one, now))
    return named >= 0 && map[named] !== undefined && map[named] !== position ? [index] : []
  })
}

type Guessing = {
  held: HeldTable
  target: HeldTable
  map: ColumnMap
  matched: (number | undefined)[]
  unfound: Unfound
  /** Positions of columns that are looked for after others. */
  later: number[]
}

/** Columns whose values identify no row are where all rows that were found have the same ones. */
function guessColumns({ held, target, map, matched, unfound, later }: Guessing): void {
  for (const [index] of held.columns.entries()) {
    if (map[index] !== undefined || later.includes(index)) continue
    const taken = new Set(map)
    const pairs = [...unfound.keys()].flatMap((row) => {
      const other = matched[row]
      return other === undefined ? [] : [[held.rows[row], target.rows[other]] as const]
    })
    const best = target.columns
      .map((_, position) => ({
        position,
        equal: pairs.filter(
          ([one, other]) =>
            one?.cells[index] !== empty && one?.cells[index] === other?.cells[position],
        ).length,
      }))
      .filter(({ position, equal }) => !taken.has(position) && equal > 0)
      .toSorted((one, other) => other.equal - one.equal)[0]
    if (best !== undefined) map[index] = best.position
  }
}

type Linking = { former: Traced; all: HeldTable[]; unfound: Unfound }

/** A value that a row now names by the key of another row, which has it. */
export function findLinked({ former, all, unfound }: Linking): Place["columns"] {
  const { held, home: now, columns, twins } = former
  const kept = new Set(columns)
  const links =
    now?.columns.flatMap((name, position) => (kept.has(position) ? [] : [{ name, position }])) ?? []
  if (now === undefined || links.length === 0) return []
  const keyed = all.filter(({ key }) => key.length === 1)
  const found = new Map<number, Place["columns"][number]>()
  for (const [row, lost] of unfound) {
    const twin = now.rows[twins[row] ?? -1]
    if (twin === undefined) continue
    const linked = links.flatMap((link) =>
      keyed.flatMap((table) => {
        const [other = -1] =
          table.index[table.key[0] ?? 0]?.get(twin.cells[link.position] ?? empty) ?? []
        return table.rows[other] === undefined
          ? []
          : [{ link, table, cells: table.rows[other].cells }]
      }),
    )
    for (const index of lost) {
      if (columns[index] !== undefined) continue
      const value = held.rows[row]?.cells[index] ?? empty
      const by = linked.find(({ cells }) => cells.includes(value))
      if (by === undefined) continue
      lost.delete(index)
      const [column, key] = [by.cells.indexOf(value), by.table.key[0] ?? 0].map(
        (at) => by.table.columns[at] ?? "",
      )
      const of = { table: by.table.name, key: key ?? "", column: column ?? "" }
      found.set(index, [held.columns[index] ?? "", { column: by.link.name, of }])
    }
    if (lost.size === 0) unfound.delete(row)
  }
  return [...found.values()]
}

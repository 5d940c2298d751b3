import { folded } from "../sql/folded.ts"
import { empty, type HeldTable } from "./held-tables.ts"

/** For each column of a table, the position in which another one may have its values. */
export type ColumnMap = (number | undefined)[]

type Matching = {
  from: HeldTable
  to: HeldTable
  map: ColumnMap
  /** Whether it is one table at two moments, whose rows keep their numbers. */
  same: boolean
}

/** What tells which row it is; undefined where a row has nothing of the kind. */
type Sign = (row: number) => string | undefined

/**
 * For each row of `from` the row of `to` that it is, by the surest sign that both have. Undefined
 * where nothing that identifies it is there.
 */
export function matchRows({ from, to, map, same }: Matching): (number | undefined)[] {
  const found = Array.from(from.rows, (): number | undefined => undefined)
  const taken = new Set<number>()
  const pair = (was: Sign, is: Sign, fits = (_row: number, _other: number) => true): void => {
    const free = [...to.rows.keys()].filter((other) => !taken.has(other))
    const alike = Map.groupBy(free, is)
    for (const row of from.rows.keys()) {
      const sign = found[row] === undefined ? was(row) : undefined
      const [other] = sign === undefined ? [] : (alike.get(sign) ?? [])
      if (other === undefined || !fits(row, other)) continue
      alike.get(sign)?.shift()
      found[row] = other
      taken.add(other)
    }
  }
  const cellOf = (row: number, index: number) => from.rows[row]?.cells[index] ?? empty
  const cellNow = (other: number, position: number) => to.rows[other]?.cells[position] ?? empty
  const numberOf: Sign = (row) => from.rows[row]?.rowid
  const numberNow: Sign = (other) => to.rows[other]?.rowid

  const mapped = map.flatMap((position, index) =>
    position === undefined ? [] : [{ index, position }],
  )
  const isKey = ({ index }: { index: number }) => from.key.includes(index)
  const keys = mapped.filter(isKey)
  // Keys that are all new tell nothing.
  const isNew = keys.every(({ index, position }) => {
    const values = [...(from.index[index]?.keys() ?? [])]
    return values.every((value) => to.index[position]?.has(value) !== true)
  })
  const told = isNew ? mapped.filter((one) => !isKey(one)) : mapped
  if (told.length > 0) {
    const was = (row: number) => told.map(({ index }) => cellOf(row, index)).join("\n")
    const is = (other: number) => told.map(({ position }) => cellNow(other, position)).join("\n")
    pair(
      (row) => `${numberOf(row)} ${was(row)}`,
      (other) => `${numberNow(other)} ${is(other)}`,
    )
    pair(was, is)
  }
  // A key may have been converted to a number or a text.
  for (const written of keys.length === from.key.length ? [keyAsIs, keyAsText] : []) {
    pair(
      (row) => written(keys.map(({ index }) => cellOf(row, index))),
      (other) => written(keys.map(({ position }) => cellNow(other, position))),
    )
  }
  for (const one of [...keys, ...mapped.filter((other) => !isKey(other))]) {
    const { index, position } = one
    const isRepeated = isKey(one) || mapped.length === 1
    pair(
      (row) => valueAlone(from, index, cellOf(row, index)),
      (other) =>
        isRepeated ? cellNow(other, position) : valueAlone(to, position, cellNow(other, position)),
    )
  }
  if (same) pair(numberOf, numberNow)
  else if (told.length > 0) {
    pair(numberOf, numberNow, (row, other) =>
      told.every(({ index, position }) => {
        const [was, is] = [cellOf(row, index), cellNow(other, position)]
        return was === empty || was === is || isTidied(was, is)
      }),
    )
  }
  return found
}

function keyAsIs(cells: string[]): string | undefined {
  return cells.length === 0 || cells.includes(empty) ? undefined : cells.join("\n")
}

function keyAsText(cells: string[]): string | undefined {
  return keyAsIs(cells)?.replaceAll(/^(?:string|bigint) /gm, "")
}

function valueAlone({ index }: HeldTable, column: number, value: string): string | undefined {
  return value !== empty && index[column]?.get(value)?.length === 1 ? value : undefined
}

/** Whether one text is the other without blanks around it, or in lower case as SQLite knows it; or numbers are as good as equal. */
export function isTidied(was: string, is: string): boolean {
  const [kind, text] = split(was)
  const [other, now] = split(is)
  // A number above what a REAL can tell apart: the request looks whether there are any.
  if (kind === "bigint" && other === "bigint") return Number(text) === Number(now)
  if (kind !== "string" || other !== "string") return false
  const lower = folded(text)
  return [text.trim(), lower, lower.trim()].includes(now)
}

function split(value: string): [string, string] {
  const space = value.indexOf(" ")
  return [value.slice(0, space), value.slice(space + 1)]
}

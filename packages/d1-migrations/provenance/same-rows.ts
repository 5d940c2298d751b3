import { empty, type HeldTable } from "./held-tables.ts"

/** For each column of a table, the position in which another one may have its values. */
export type ColumnMap = (number | undefined)[]

type Pair = { row: number; other: number; score: number }

/** Values that more rows have say little about which row it is. */
const mostAlike = 60

type Matching = {
  from: HeldTable
  to: HeldTable
  map: ColumnMap
  /** Whether it is one table at two moments, whose rows keep their numbers. */
  same: boolean
}

/**
 * For each row of `from` the row of `to` that it is: the one with the same key, or with the most
 * values that only it has. Undefined where nothing that identifies it is there.
 */
export function matchRows({ from, to, map, same }: Matching): (number | undefined)[] {
  const byRowid = new Map(to.rows.map(({ rowid }, index) => [rowid, index]))
  const whole = new Set(from.rows.map(({ cells }) => cells.join("\n"))).size < from.rows.length
  const pairs: Pair[] = []
  for (const [row, { cells, rowid }] of from.rows.entries()) {
    const scores = new Map<number, { score: number; alone: boolean; equal: number; keys: number }>()
    const note = (other: number, score: number, alone: boolean, isKey = false) => {
      const known = scores.get(other) ?? { score: 0, alone: false, equal: 0, keys: 0 }
      const keys = known.keys + Number(isKey)
      const isWhole = isKey && keys === from.key.length
      scores.set(other, {
        score: known.score + score,
        alone: known.alone || alone || isWhole,
        equal: known.equal + 1,
        keys,
      })
    }
    for (const [index, value] of cells.entries()) {
      const there = to.index[map[index] ?? -1]
      const others =
        there?.get(value) ??
        (from.key.includes(index) ? there?.get(asOther(value)) : undefined) ??
        []
      const count = from.index[index]?.get(value)?.length ?? 1
      const isKey = from.key.includes(index)
      if (value === empty || (others.length > mostAlike && !isKey)) continue
      const alone = count === 1 && (isKey || others.length === 1 || cells.length === 1)
      for (const other of others) note(other, (isKey ? 10 : 1) / count, alone, isKey)
    }
    const twin = rowid === undefined ? undefined : byRowid.get(rowid)
    if (twin !== undefined && (same || scores.has(twin))) note(twin, 0.01, same)
    const needed = cells.filter(
      (value, index) => value !== empty && map[index] !== undefined,
    ).length
    for (const [other, { score, alone, equal }] of scores) {
      const complete = equal >= needed && needed > 0
      if (alone || complete || (whole && equal >= needed)) pairs.push({ row, other, score })
    }
  }
  const found = assign(pairs, from.rows.length)
  matchAlike({ from, to, map, same }, found)
  return found
}

/** A number as a text, or a text as a number: keys are converted so. */
function asOther(value: string): string {
  const [kind, text] = split(value)
  return kind === "string" ? `bigint ${text}` : `string ${text}`
}

/** Rows that nothing identifies: those that are equal, then those in the same place that were tidied. */
function matchAlike({ from, to, map }: Matching, found: (number | undefined)[]): void {
  const taken = new Set(found)
  const free = to.rows.flatMap((_, other) => (taken.has(other) ? [] : [other]))
  // Keys that are all new tell nothing.
  const isNew = from.key.every((index) => {
    const values = [...(from.index[index]?.keys() ?? [])]
    return values.every((value) => to.index[map[index] ?? -1]?.has(value) !== true)
  })
  const mapped = map.flatMap((position, index) =>
    position === undefined || (isNew && from.key.includes(index)) ? [] : [{ position, index }],
  )
  const was = (row: number) => mapped.map(({ index }) => from.rows[row]?.cells[index])
  const is = (other: number) => mapped.map(({ position }) => to.rows[other]?.cells[position])
  const alike = Map.groupBy(free, (other) => is(other).join("\n"))
  const numbered = new Map(free.map((other) => [to.rows[other]?.rowid, other]))
  for (const row of from.rows.keys()) {
    if (found[row] !== undefined || mapped.length === 0) continue
    const equal = alike.get(was(row).join("\n"))?.find((other) => !taken.has(other))
    const rowid = from.rows[row]?.rowid
    const twin = rowid === undefined ? undefined : numbered.get(rowid)
    const now = twin === undefined || taken.has(twin) ? [] : is(twin)
    const isTwin =
      now.length > 0 &&
      was(row).every((value = empty, at) => {
        const other = now[at] ?? empty
        return value === empty || value === other || isTidied(value, other)
      })
    const match = equal ?? (isTwin ? twin : undefined)
    found[row] = match
    taken.add(match)
  }
}

/** Each row once, the surest first. */
function assign(pairs: Pair[], length: number): (number | undefined)[] {
  const found = Array.from({ length }, (): number | undefined => undefined)
  const taken = new Set<number>()
  for (const { row, other } of pairs.toSorted((one, two) => two.score - one.score)) {
    if (found[row] !== undefined || taken.has(other)) continue
    found[row] = other
    taken.add(other)
  }
  return found
}

/** Whether one text is the other without blanks around it, or in lower case as SQLite knows it; or numbers are as good as equal. */
export function isTidied(was: string, is: string): boolean {
  const [kind, text] = split(was)
  const [other, now] = split(is)
  // A number above what a REAL can tell apart: the request looks whether there are any.
  if (kind === "bigint" && other === "bigint") return Number(text) === Number(now)
  if (kind !== "string" || other !== "string") return false
  const lower = text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return [text.trim(), lower, lower.trim()].includes(now)
}

function split(value: string): [string, string] {
  const space = value.indexOf(" ")
  return [value.slice(0, space), value.slice(space + 1)]
}

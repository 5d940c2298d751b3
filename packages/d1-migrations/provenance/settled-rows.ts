import type { TellingRow } from "../seed/telling-rows.ts"
import type { Run } from "./run.ts"

type Failure = NonNullable<Run["failed"]>

/** Rows on which a file runs to its end, and why it does not on others. */
export type Settled = {
  rows: TellingRow[]
  /** What a row must not have. */
  troubles: (Failure & { features: string[] })[]
  /** Why it fails on every row that was tried. */
  blocked: Failure | undefined
}

/** Trials of rows with more than one special value, of which it is not known which one fails. */
const patience = 24

/** Values that a file may need at once. */
const rounds = 6

/** D1 undoes a file that fails, so rows on which it fails lose nothing, and only hide the others. */
export function settleRows(
  rows: TellingRow[],
  failsOn: (rows: TellingRow[]) => Failure | undefined,
): Settled {
  // In the order in which they were made: a child without its parent would be left out.
  const inOrder = (some: TellingRow[]) => {
    const chosen = new Set(some)
    return rows.filter((row) => chosen.has(row))
  }
  const fails = (some: TellingRow[]) => failsOn(some === rows ? rows : inOrder(some))
  const first = fails(rows)
  if (first === undefined) return { rows, troubles: [], blocked: undefined }
  const groups = Map.groupBy(rows, ({ features }) => (features.length > 1 ? "" : features.join()))
  const ordinary = rows.filter(({ features }) => features.length === 0)
  const mixed = rows.filter(({ features }) => features.length > 1)
  const special = [...groups.values()].filter(([one]) => one?.features.length === 1)
  const troubles: Settled["troubles"] = []
  const start = startOf({ ordinary, special, fails })
  const { blocked } = start
  let { kept } = start
  if (blocked !== undefined) return { rows: [], troubles: [], blocked }

  let left = Infinity
  const add = (some: TellingRow[][]): void => {
    const more = some.flat().filter((row) => !kept.includes(row))
    if (more.length === 0 || left === 0) return
    left -= 1
    const failure = fails([...kept, ...more])
    if (failure === undefined) {
      kept = [...kept, ...more]
      return
    }
    if (some.length === 1) {
      const features = more[0]?.features ?? []
      if (features.length === 1) troubles.push({ ...failure, features })
      return
    }
    const middle = Math.ceil(some.length / 2)
    add(some.slice(0, middle))
    add(some.slice(middle))
  }
  add(special)
  const bad = new Set(troubles.flatMap(({ features }) => features))
  left = patience
  add(mixed.filter(({ features }) => features.every((one) => !bad.has(one))).map((row) => [row]))
  return { rows: inOrder(kept), troubles, blocked: undefined }
}

type Starting = {
  ordinary: TellingRow[]
  special: TellingRow[][]
  fails: (rows: TellingRow[]) => Failure | undefined
}

/** Rows on which the file runs: ordinary ones, and values without which it fails earlier. */
function startOf(
  { ordinary, special, fails }: Starting,
  round = 0,
): { kept: TellingRow[]; blocked: Failure | undefined } {
  const blocked = fails(ordinary)
  if (blocked === undefined || round === rounds) return { kept: ordinary, blocked }
  const further = special.slice(0, patience * 2).find((group) => {
    const failure = fails([...ordinary, ...group])
    return failure === undefined || failure.statement > blocked.statement
  })
  if (further === undefined) return { kept: ordinary, blocked }
  return startOf({ ordinary: [...ordinary, ...further], special, fails }, round + 1)
}

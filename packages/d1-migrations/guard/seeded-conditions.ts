import { balanced } from "../sql/literal.ts"

/** Conditions that only rows meet which earlier files have written whole, each short enough for D1. */
export function findLiteralRows(
  rows: Record<string, string>[],
  columns: Map<string, string>,
): string[] {
  const conditions = rows.slice(0, mostLiteralRows).map((row) => {
    const cells = [...columns].map(([name, as]) => `${as} IS ${row[name] ?? "NULL"}`)
    return balanced(cells, "AND")
  })
  return conditions.filter((condition) => condition.length < mostLiteralBytes)
}

/** More of them are compared as all others are. */
const mostLiteralRows = 2000
const mostLiteralBytes = 50_000

/** Of conditions that are there more than once, one after the other: of equal rows each excuses one. */
export function splitRepeats(conditions: string[]): string[][] {
  const times = new Map<string, number>()
  const turns: string[][] = []
  for (const condition of conditions) {
    const turn = times.get(condition) ?? 0
    times.set(condition, turn + 1)
    turns[turn] = [...(turns[turn] ?? []), condition]
  }
  return turns
}

/** Conditions that fit into one statement. */
export function chunkConditions(conditions: string[]): string[][] {
  const chunks: string[][] = []
  let bytes = 0
  for (const condition of conditions) {
    const last = chunks.at(-1)
    bytes += Buffer.byteLength(condition) + 6
    if (last === undefined || bytes > 50_000) {
      chunks.push([condition])
      bytes = Buffer.byteLength(condition)
    } else last.push(condition)
  }
  return chunks
}

import { counted } from "../counted.ts"
import type { FileRun, TableRows } from "./pending-files.ts"
import { growthFactor, type Rehearsal } from "./rehearsal.ts"

/** Why the files must not be applied as they are; empty when they may. */
export function problemsOf({ files, grown }: Rehearsal): string[] {
  const stopped = files.flatMap(reasonOf)
  const stoppedLater = grown
    .flatMap(reasonOf)
    .map((reason) => `with ${growthFactor} times the rows: ${reason}`)
  return [...stopped, ...stoppedLater]
}

function reasonOf({ name, outcome, reason = "" }: FileRun): string[] {
  if (outcome === "applied") return []
  return [reason.startsWith(name) ? reason : `${name}: ${reason}`]
}

export type Growth = {
  rowsRead: { from: number; to: number }
  rowsWritten: { from: number; to: number }
  /** Rows that the file writes for each row more in every table; 0 when it does not grow. */
  writtenPerRow: number
  readPerRow: number
}

/** How a file's cost grows with the rows; undefined when it ran with one number of rows only. */
export function growthOf({ rows, grown }: Rehearsal, { name, cost }: FileRun): Growth | undefined {
  const later = grown.find((run) => run.name === name)?.cost
  if (cost === undefined || later === undefined) return undefined
  const more = rows * (growthFactor - 1)
  const [small, large] = [cost.file, later.file]
  const perRow = (from: number, to: number) => Math.round(((to - from) / more) * 10) / 10
  return {
    rowsRead: { from: small.rowsRead, to: large.rowsRead },
    rowsWritten: { from: small.rowsWritten, to: large.rowsWritten },
    readPerRow: perRow(small.rowsRead, large.rowsRead),
    writtenPerRow: perRow(small.rowsWritten, large.rowsWritten),
  }
}

/** Of a run: the tables whose number of rows is another afterwards, columns that go, and how many tables keep their rows. */
export function rowChanges({ tables, lost }: FileRun): { changed: string[]; kept: number } {
  const changed = tables.filter(({ before, after }) => before !== after)
  const columns = lost.map((column) => `${column} → gone`)
  return {
    changed: [...changed.map(describeRows), ...columns],
    kept: tables.length - changed.length,
  }
}

function describeRows({ table, before, after }: TableRows): string {
  if (before !== undefined) return `${table} ${before} → ${after ?? "gone"}`
  return after === 0 ? `${table} is new` : `${table} is new, with ${counted(after ?? 0, "row")}`
}

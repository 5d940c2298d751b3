import { counted } from "../counted.ts"
import type { FileRun, TableRows } from "./pending-files.ts"
import type { Rehearsal } from "./rehearsal.ts"

/** Why the files must not be applied as they are; empty when they may. */
export function problemsOf({ files }: Rehearsal): string[] {
  return files.flatMap(reasonOf)
}

function reasonOf({ name, outcome, reason = "" }: FileRun): string[] {
  if (outcome === "applied") return []
  return [reason.startsWith(name) ? reason : `${name}: ${reason}`]
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

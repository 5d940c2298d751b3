import type { FileRun } from "./pending-files.ts"
import { type BranchRehearsal, growthFactor } from "./rehearse-branch.ts"

/** Why the branch must not be merged as it is; empty when it may. */
export function problemsOf({ files, grown, worker }: BranchRehearsal): string[] {
  const stopped = files.flatMap(({ name, outcome, reason }) =>
    outcome === "applied" ? [] : [`${name} was ${outcome}: ${reason}`],
  )
  const stoppedLater = grown.flatMap(({ name, outcome, reason }) =>
    outcome === "applied"
      ? []
      : [`with ${growthFactor} times the rows ${name} was ${outcome}: ${reason}`],
  )
  return [...stopped, ...stoppedLater, ...workerProblem(worker)]
}

function workerProblem(worker: BranchRehearsal["worker"]): string[] {
  if (worker.outcome === "broken") {
    return [`the version that serves today breaks on the new schema: ${worker.reason}`]
  }
  if (worker.outcome !== "unknown") return []
  return [`whether the version that serves today keeps working is not known: ${worker.reason}`]
}

export type Growth = {
  rowsRead: { from: number; to: number }
  rowsWritten: { from: number; to: number }
  /** Rows that the file writes for each row more in every table; 0 when it does not grow. */
  writtenPerRow: number
  readPerRow: number
}

/** How a file's cost grows with the rows; undefined when it ran with one number of rows only. */
export function growthOf(
  { rows, grown }: BranchRehearsal,
  { name, cost }: FileRun,
): Growth | undefined {
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

/** Of a run: the tables whose number of rows is another afterwards, and how many keep theirs. */
export function rowChanges({ tables }: FileRun): { changed: string[]; kept: number } {
  const changed = tables.filter(({ before, after }) => before !== after)
  return {
    changed: changed.map(
      ({ table, before, after }) =>
        `${table} ${before ?? "new,"}${before === undefined ? "" : " →"} ${after ?? "gone"}`,
    ),
    kept: tables.length - changed.length,
  }
}

import * as z from "zod"

const LedgerRow = z.object({ name: z.string(), applied_at: z.string().nullish() })
/** Older databases lack all but the first two. */
const SidecarRow = z.object({
  name: z.string(),
  sha256: z.string(),
  bookmark: z.string().nullish(),
  class: z.string().nullish(),
  oldest_worker: z.string().nullish(),
  rows_before: z.string().nullish(),
})
type SidecarRow = z.infer<typeof SidecarRow>

type RecordedMigration = {
  name: string
  /** UTC, as SQLite writes it. */
  appliedAt: string | undefined
  /** Undefined when another tool applied it. */
  record: SidecarRow | undefined
}

export type RecordedMigrations = {
  /** Rows of the ledger, in the order in which they were applied. */
  applied: RecordedMigration[]
  /** Rows beside the ledger that it does not have: by hand, or a request that was not undone. */
  orphans: SidecarRow[]
}

/** Joins the rows of both tables, also where they disagree. */
export function recordedIn(rows: { ledger: unknown[]; sidecar: unknown[] }): RecordedMigrations {
  const ledger = rows.ledger.map((row) => LedgerRow.parse(row))
  const records = rows.sidecar.map((row) => SidecarRow.parse(row))
  const names = new Set(ledger.map(({ name }) => name))
  return {
    applied: ledger.map(({ name, applied_at: appliedAt }) => ({
      name,
      appliedAt: appliedAt ?? undefined,
      record: records.find((record) => record.name === name),
    })),
    orphans: records.filter(({ name }) => !names.has(name)),
  }
}

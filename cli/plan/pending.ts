import * as z from "zod"

import { judgeFile } from "../../d1-migrations/classification/judgement.ts"
import type { Migration } from "../../d1-migrations/files/migration-files.ts"
import { findPending } from "../../d1-migrations/ledger/history.ts"
import { advance } from "../../d1-migrations/provenance/run.ts"
import { openScratchDatabase } from "../../d1-migrations/schema/scratch-database.ts"
import type { Step } from "./step.ts"

export type PendingMigration = {
  name: string
  sha256: string
  /** Such as `expand`. */
  class: string
  /** Why it will be refused. */
  objections: string[]
}

const Recorded = z.object({
  files: z.array(z.object({ name: z.string(), sha256: z.string().optional() })),
})

/** The files that `up` will apply, each judged on the schema that it finds. */
export function pendingMigrations(
  step: Step | undefined,
  files: Migration[],
): { pending: PendingMigration[]; unrecorded: string[] } {
  if (step === undefined || step.operation === "same") return { pending: [], unrecorded: [] }
  const isNew = step.before === undefined || step.operation === "replace"
  const applied = isNew ? [] : Recorded.parse(step.before?.outputs).files
  const { pending, unrecorded } = findPending(files, applied)
  using database = openScratchDatabase()
  for (const file of files) if (!pending.includes(file)) advance(database, file)
  return {
    unrecorded: unrecorded.map(({ name }) => name),
    pending: pending
      .map((file) => judgeFile(database, file))
      .map(({ file: { name, sha256 }, classification, objections }) => ({
        name,
        sha256,
        class: classification.class,
        objections,
      })),
  }
}

import { judgeEach } from "@accounts-stack/d1-migrations"
import { findPending, type Migration } from "@accounts-stack/d1-migrations/files"
import * as z from "zod"

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
  return {
    unrecorded: unrecorded.map(({ name }) => name),
    pending: judgeEach(files, (file) => pending.includes(file), { isEmpty: isNew }).map(
      ({ file: { name, sha256 }, classification, objections }) => ({
        name,
        sha256,
        class: classification.class,
        objections,
      }),
    ),
  }
}

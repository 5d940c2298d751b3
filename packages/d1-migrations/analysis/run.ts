import { failureOf } from "../failure.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import type { StatementEffect } from "../schema/statement-effect.ts"
import type { Statement } from "../sql/statements.ts"

/** Decided by rows that refer to others, so on no rows or some it says nothing of the statement. */
export const ofReferences = "FOREIGN KEY constraint failed"

export type StatementResult = {
  effect: StatementEffect | undefined
  /** SQLite's or D1's reason when it failed. */
  failure: string | undefined
}

export type Run = {
  steps: StatementResult[]
  /** The first that failed. */
  failed: { statement: number; message: string } | undefined
}

type Running = {
  /** Whether to go on after a statement that fails, which D1 does not. */
  goOn?: boolean
  before?: ((statement: number, effect: StatementEffect) => void) | undefined
  after?: (statement: number, effect: StatementEffect) => void
}

/** Runs a file as D1 runs it: in one transaction, where `PRAGMA foreign_keys` does nothing. */
export function runFile(
  database: ScratchDatabase,
  statements: Statement[],
  { goOn = false, before, after }: Running = {},
): Run {
  database.exec("BEGIN")
  const steps: StatementResult[] = []
  let failed: Run["failed"]
  for (const [index, { sql }] of statements.entries()) {
    const step: StatementResult = { effect: undefined, failure: undefined }
    steps.push(step)
    step.failure = failureOf(() => {
      const { effect, run } = database.prepare(sql)
      step.effect = effect
      before?.(index + 1, effect)
      run()
      after?.(index + 1, effect)
    })
    if (step.failure === undefined) continue
    failed ??= { statement: index + 1, message: step.failure }
    if (!goOn) break
  }
  // False references are found at the end when they were deferred.
  const ending = failed === undefined ? "COMMIT" : "ROLLBACK"
  const end = goOn ? undefined : failureOf(() => database.exec(ending))
  const dropping = steps.findLastIndex(({ effect }) => (effect?.drops.length ?? 0) > 0)
  const last = dropping < 0 ? statements.length : dropping + 1
  if (end !== undefined) failed ??= { statement: last, message: end }
  return { steps, failed }
}

/** Applies a file to the schema, for the files after it. Undefined when every statement passes. */
export function advance(
  database: ScratchDatabase,
  { statements }: { statements: Statement[] },
): Run["failed"] {
  return runFile(database, statements).failed
}

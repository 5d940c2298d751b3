import { Failure } from "../failure.ts"
import type { JudgedFile } from "../judgement/judgement.ts"

type Judged = {
  judged: JudgedFile[]
  /** Whether every pending file is among them. */
  complete: boolean
  /** False for a database without tables, which has nothing to lose. */
  guarded: boolean
}

/** Reasons of the caller's own why files must not be sent; empty when they may. */
export type BeforeSending = (judged: Judged) => Promise<string[]>

/**
 * Refuses files by what is known before the first of them is sent.
 * @throws MIGRATION_REFUSED with all reasons
 */
export async function refusePending(judged: Judged, beforeSending?: BeforeSending): Promise<void> {
  const fileObjections = judged.guarded ? judged.judged.flatMap(({ objections }) => objections) : []
  const reasons = [...fileObjections, ...((await beforeSending?.(judged)) ?? [])]
  if (reasons.length === 0) return
  const message = `${reasons.join("\n")}\nNo pending migration was sent.`
  throw new Failure("MIGRATION_REFUSED", message)
}

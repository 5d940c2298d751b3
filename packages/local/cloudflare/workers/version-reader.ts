import type { Control } from "../control.ts"
import { noVersion, requireVersion, type Version } from "./version.store.ts"
import type { Worker } from "./worker.store.ts"

/**
 * Reads versions by id for one route. With the doubt `lateReads`, the first reads of a version find
 * nothing.
 */
export function createVersionReader({ state, settings }: Control) {
  const missed = new Map<string, number>()
  return (worker: Worker, id: string): Version => {
    const version = requireVersion(state, worker, id)
    const before = missed.get(id) ?? 0
    if (before >= settings.read().doubts.lateReads) return version
    missed.set(id, before + 1)
    throw noVersion(worker, id)
  }
}

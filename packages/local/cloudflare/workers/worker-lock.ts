import type { Control } from "../control.ts"
import { requireWorker, type Worker } from "./worker.store.ts"

/** Waits for earlier writes to the same Worker, then reads the Worker again and runs `work`. */
export async function withWorkerLock<T>(
  { state, withLock }: Pick<Control, "state" | "withLock">,
  idOrName: string,
  work: (worker: Worker) => Promise<T>,
): Promise<T> {
  const { id } = requireWorker(state, idOrName)
  return withLock(`worker:${id}`, () => work(requireWorker(state, id)))
}

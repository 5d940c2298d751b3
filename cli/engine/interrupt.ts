import { EngineInterrupted } from "./failure.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * An abort signal for as long as work runs in process groups of its own: a terminal's Ctrl-C does
 * not reach those, and Node's default would end this process and leave them running.
 */
export function interruptSignal(caller?: AbortSignal): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  const interrupt = () => controller.abort(new EngineInterrupted())
  for (const name of signals) process.once(name, interrupt)
  return {
    signal: AbortSignal.any([controller.signal, ...(caller ? [caller] : [])]),
    [Symbol.dispose]() {
      for (const name of signals) process.off(name, interrupt)
    },
  }
}

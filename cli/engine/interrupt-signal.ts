import { Failure } from "../../base/failure.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * Aborts with a Failure INTERRUPTED on SIGINT, SIGTERM or SIGHUP, or when the caller's signal aborts.
 * Needed while work runs in other process groups: the terminal's Ctrl-C does not reach those, and
 * Node's default would exit and leave them running.
 */
export function interruptSignal(caller?: AbortSignal): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  const interrupt = () => controller.abort(interrupted())
  for (const name of signals) process.once(name, interrupt)
  return {
    signal: AbortSignal.any([controller.signal, ...(caller ? [caller] : [])]),
    [Symbol.dispose]() {
      for (const name of signals) process.off(name, interrupt)
    },
  }
}

function interrupted() {
  return new Failure(
    "INTERRUPTED",
    "Interrupted. The compiled packages are kept: the next run continues from there.",
  )
}

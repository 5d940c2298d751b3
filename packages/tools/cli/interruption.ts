import { Failure } from "../base/failure.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Milliseconds within which another signal is the same Ctrl-C: npm passes it on to what has got it already. */
const sameTime = 500

/**
 * Aborts with a Failure INTERRUPTED at the first SIGINT, SIGTERM or SIGHUP. A second one ends this process, and with
 * it all that it has started.
 * Needed where something is to be cleaned up, or runs in another process group, which the terminal's
 * Ctrl-C does not reach: Node's default would exit and leave it.
 */
export function interruptSignal(
  outcome: string,
  onInterrupt: () => void = () => {},
): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  let first: number | undefined
  const interrupt = () => {
    if (first !== undefined && performance.now() - first > sameTime) process.exit(130)
    if (first !== undefined) return
    first = performance.now()
    onInterrupt()
    controller.abort(new Failure("INTERRUPTED", `Interrupted. ${outcome}`))
  }
  for (const name of signals) process.on(name, interrupt)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of signals) process.off(name, interrupt)
    },
  }
}

/**
 * Gives `act` such a signal, so that it cleans up before the process ends.
 * @throws Failure INTERRUPTED with `outcome`, unless it was done already
 */
export async function untilInterrupted<Result>(
  outcome: string,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  using interrupt = interruptSignal(outcome)
  const { signal } = interrupt
  return await act(signal).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error
  })
}

import { Failure } from "../base/failure.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * Aborts with a Failure INTERRUPTED on SIGINT, SIGTERM or SIGHUP.
 * Needed where something is to be cleaned up, or runs in another process group, which the terminal's
 * Ctrl-C does not reach: Node's default would exit and leave it.
 */
export function interruptSignal(outcome: string): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  const interrupt = () => controller.abort(new Failure("INTERRUPTED", `Interrupted. ${outcome}`))
  for (const name of signals) process.once(name, interrupt)
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

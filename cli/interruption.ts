import { Failure } from "../base/failure.ts"

/**
 * Gives `act` a signal that Ctrl-C and SIGTERM abort, so that it cleans up before the process ends.
 * @throws Failure INTERRUPTED with `outcome`, unless it was done already
 */
export async function untilInterrupted<Result>(
  outcome: string,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal)
  try {
    return await act(stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    throw new Failure("INTERRUPTED", `Interrupted. ${outcome}`, { cause: error })
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal)
  }
}

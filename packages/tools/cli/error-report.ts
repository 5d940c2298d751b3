import { Failure, isFailure, messageOf } from "../base/failure.ts"
import { engineOutput } from "./engine-output.ts"

/** What to show for an error; only an unforeseen one brings its stack trace. */
export function describeError(error: unknown): string {
  if (error instanceof Failure) return error.message
  if (!(error instanceof Error)) return messageOf(error)
  // The engine refused, for example because no backend is logged in: its own words explain it.
  if ("commandResult" in error) return engineOutput(error.message)
  return error.stack ?? error.message
}

/** 2 for wrong usage, 130 (a shell's code for Ctrl-C) when interrupted, else 1. */
export function exitCodeOf(error: unknown): 1 | 2 | 130 {
  if (isFailure(error, "USAGE")) return 2
  return isFailure(error, "INTERRUPTED") ? 130 : 1
}

import { Failure } from "../../base/failure.ts"
import { engineVersion } from "./pinned-versions.ts"
import type { EngineSource } from "./progress.ts"

export type Refusal = { source: EngineSource; reason: string }

/** The message lists what would help, each with the reason why it failed here. */
export function engineUnavailable(refusals: Refusal[]): Failure {
  const why = (...sources: EngineSource[]) =>
    refusals
      .filter(({ source }) => sources.includes(source))
      .map(({ reason }) => `     ${reason.replaceAll("\n", "\n     ")}`)

  const lines = [
    `No Pulumi engine is available. Do one of the following, then run the same command again:`,
    `  1. Install pulumi ${engineVersion} or newer and put it on PATH, or pass --engine PATH (or set ACCOUNTS_ENGINE).`,
    ...why("path"),
    `  2. Connect to the internet: the engine is downloaded once and kept.`,
    ...why("cache", "download"),
    `  3. Install Go 1.21 or newer: the engine is built once from its published modules, in about seven minutes.`,
    ...why("build"),
  ]
  return new Failure("COMMAND_FAILED", lines.join("\n"))
}

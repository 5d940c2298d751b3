import { type EngineSource } from "./progress.ts"
import { engineVersion } from "./version.ts"

export type Refusal = { source: EngineSource; reason: string }

/** None of the ways led to an engine; the message says what each needs and why it failed. */
export class EngineUnavailable extends Error {
  readonly code = "ENGINE_UNAVAILABLE"
  readonly refusals: readonly Refusal[]

  constructor(refusals: readonly Refusal[], options?: ErrorOptions) {
    super(explain(refusals), options)
    this.name = "EngineUnavailable"
    this.refusals = refusals
  }
}

/** The engine that was asked for by name cannot be used; no other one is tried in its place. */
export class EngineRefused extends Error {
  readonly code = "ENGINE_REFUSED"

  constructor(asked: "--engine" | "ACCOUNTS_ENGINE", cause: unknown) {
    super(
      `${asked}: ${reasonOf(cause)}\nName the executable of pulumi ${engineVersion} or newer, or leave ${asked} out.`,
      { cause },
    )
    this.name = "EngineRefused"
  }
}

/** An interrupt ended the search; nothing half-made was left behind. */
export class EngineInterrupted extends Error {
  readonly code = "ENGINE_INTERRUPTED"

  constructor() {
    super("Interrupted. What is compiled so far is kept: the next run continues from there.")
    this.name = "EngineInterrupted"
  }
}

function explain(refusals: readonly Refusal[]) {
  const why = (...sources: EngineSource[]) =>
    refusals
      .filter(({ source }) => sources.includes(source))
      .map(({ reason }) => `     ${reason.replaceAll("\n", "\n     ")}`)

  return [
    `No Pulumi engine can be had here. Any one of these helps; then run the same command again:`,
    `  1. Install pulumi ${engineVersion} or newer and put it on PATH, or pass --engine PATH (or set ACCOUNTS_ENGINE).`,
    ...why("path"),
    `  2. Connect to the internet: the engine is then downloaded once and kept.`,
    ...why("cache", "download"),
    `  3. Install Go 1.21 or newer: the engine is then built once from its published modules, in about seven minutes.`,
    ...why("build"),
  ].join("\n")
}

export function reasonOf(cause: unknown) {
  return cause instanceof Error ? cause.message : String(cause)
}

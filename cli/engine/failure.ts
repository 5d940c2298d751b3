import { type EngineSource } from "./progress.ts"
import { engineVersion } from "./version.ts"

export type Refusal = { source: EngineSource; reason: string }

/** What the user can mend: the message says how and needs no stack trace. */
export class EngineFailure extends Error {
  readonly code: string
  /** For a command that ends with this; 130 is what a shell expects after an interrupt. */
  readonly exitCode: 1 | 130 = 1

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** None of the ways led to an engine; the message says what each needs and why it failed. */
export class EngineUnavailable extends EngineFailure {
  override name = "EngineUnavailable"
  readonly refusals: Refusal[]

  constructor(refusals: Refusal[]) {
    super("ENGINE_UNAVAILABLE", explain(refusals))
    this.refusals = refusals
  }
}

/** The engine that was asked for by name cannot be used; no other one is tried in its place. */
export class EngineRefused extends EngineFailure {
  override name = "EngineRefused"

  constructor(asked: "--engine" | "ACCOUNTS_ENGINE", cause: unknown) {
    super(
      "ENGINE_REFUSED",
      `${asked}: ${reasonOf(cause)}\nName the executable of pulumi ${engineVersion} or newer, or leave ${asked} out.`,
      { cause },
    )
  }
}

/** An interrupt ended the search; nothing half-made was left behind. */
export class EngineInterrupted extends EngineFailure {
  override name = "EngineInterrupted"
  override readonly exitCode = 130

  constructor() {
    super(
      "ENGINE_INTERRUPTED",
      "Interrupted. What is compiled so far is kept: the next run continues from there.",
    )
  }
}

/** The Cloudflare provider that was asked for, or that a stack needs, cannot be had. */
export class ProviderUnavailable extends EngineFailure {
  override name = "ProviderUnavailable"

  constructor(message: string, options?: ErrorOptions) {
    super("PROVIDER_UNAVAILABLE", message, options)
  }
}

function explain(refusals: Refusal[]) {
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

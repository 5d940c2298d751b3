import type * as z from "zod"

import type { Api } from "../api.ts"
import type { Log } from "./log.ts"

export type Properties = Record<string, unknown>

/** What the engine sends in a preview for a value that only `up` will know. */
export const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

export type Context = {
  /** Throws where the token is missing: only what talks to Cloudflare needs one. */
  api: () => Api
  log: Log
  /** The engine was told to stop: abandon waits, clean up, fail. */
  signal: AbortSignal
  /** Seconds given to the operation by the resource's `customTimeouts`. */
  timeout: number | undefined
}

/** Property path, such as `files[3]`, to what happens to it; empty when nothing does. */
export type Diff = Record<string, "add" | "update" | "replace">

export type Outcome = { id: string; outputs: Properties }

export type Change = { id: string; olds: Properties; oldInputs: Properties; inputs: Properties }

/** What one resource type does. None has a `delete`: what they act on belongs to other resources. */
export type Resource = {
  inputs: z.ZodType
  /** Outputs that are encrypted in state. */
  secrets?: string[]
  /** Throws to refuse a change while it is previewed. */
  diff(change: Omit<Change, "id">): Diff
  /** Outputs as far as they are known before `up`; `olds` is absent for a creation. */
  preview(change: { inputs: Properties; olds?: Properties }, context: Context): Promise<Properties>
  create(change: { inputs: Properties }, context: Context): Promise<Outcome>
  update(change: Change, context: Context): Promise<Properties>
  /** Undefined when it is gone. */
  read(state: State, context: Context): Promise<State | undefined>
}

export type State = Outcome & { inputs: Properties }

/** Failed half-way: the engine keeps these outputs and tries again at the next `up`. */
export class PartialFailure extends Error {
  override name = "PartialFailure"
  readonly outcome: Outcome
  constructor(message: string, outcome: Outcome, options?: ErrorOptions) {
    super(message, options)
    this.outcome = outcome
  }
}

import type * as z from "zod"

import type { Api } from "../api.ts"
import type { Log } from "./log.ts"

export type Properties = Record<string, unknown>

/** Stands in a preview for a value that only `up` will know. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

/** Pulumi's signature of a value of its own kind among properties. */
export const signatureKey = "4dabf18193072939515e22adb298388d"

/** That of a secret. */
export const secretSignature = { [signatureKey]: "1b47061264138c4ac30d75fd1eb44270" }

export type Context = {
  /** Throws when the token is missing. Operations that stay on this machine need none. */
  api: () => Api
  log: Log
  /** Aborted when the engine cancels the operation: stop waiting, clean up, fail. */
  signal: AbortSignal
  /** Seconds, from the resource's `customTimeouts`. */
  timeout: number | undefined
}

/** Changes by property path, such as `files[3]`; empty when there are none. */
export type Diff = Record<string, "add" | "update" | "delete" | "replace">

type Outcome = { id: string; outputs: Properties }

export type Change = { id: string; olds: Properties; oldInputs: Properties; inputs: Properties }

/** One resource type. None has a `delete`: the things they act on belong to other resources. */
export type Resource = {
  inputs: z.ZodType
  /** Outputs that are encrypted in state. */
  secrets?: string[]
  /** Read before every preview and update, so that what others changed shows in them. */
  refreshBeforeUpdate?: true
  diff(change: Omit<Change, "id">): Diff
  /** The outputs known before `up`; throws to refuse the change. A creation has no `olds`. */
  preview(change: { inputs: Properties; olds?: Properties }, context: Context): Promise<Properties>
  create(change: { inputs: Properties }, context: Context): Promise<Outcome>
  update(change: Change, context: Context): Promise<Properties>
  /** Undefined when the resource is gone. */
  read(state: State, context: Context): Promise<State | undefined>
}

export type State = Outcome & { inputs: Properties }

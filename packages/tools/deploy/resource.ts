import type { InputProblem } from "@accounts-stack/pulumi-host"
import type { Log } from "@accounts-stack/pulumi-host/log"
import { childPath, unknownValue } from "@accounts-stack/pulumi-host/properties"
import type * as z from "zod"

import type { Api } from "./api.ts"

export type Properties = Record<string, unknown>

export type Context = {
  /** Throws when the token is missing. Operations that stay on this machine need none. */
  api: () => Api
  log: Log
  /** Whether the operation is `pulumi`'s own: no command has looked at its plan, or will. */
  ofEngine: boolean
  /** Aborted when the engine cancels the operation: stop waiting, clean up, fail. */
  signal: AbortSignal
  /** Seconds, from the resource's `customTimeouts`. */
  timeout: number | undefined
}

/** Changes by property path, such as `files[3]`; empty when there are none. */
export type Diff = Record<string, "add" | "update" | "delete" | "replace">

type Outcome = { id: string; outputs: Properties }

export type Change = { id: string; olds: Properties; oldInputs: Properties; inputs: Properties }

/** A resource type without `delete`: the things it acts on belong to other resources. */
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

/** Lists what is wrong with the inputs. Values that only `up` will know are checked then. */
export function checkInputs(schema: z.ZodType, inputs: Properties): InputProblem[] {
  const parsed = schema.safeParse(inputs)
  if (parsed.success) return []
  return parsed.error.issues
    .filter((issue) => !isUnknownAt(inputs, issue.path))
    .map((issue) => ({ property: issue.path.reduce(pathOf, ""), reason: issue.message }))
}

function isUnknownAt(inputs: Properties, path: PropertyKey[]): boolean {
  let value: unknown = inputs
  for (const key of path) {
    if (typeof value !== "object" || value === null) break
    value = Reflect.get(value, key)
  }
  return value === unknownValue
}

function pathOf(parent: string, key: PropertyKey): string {
  return childPath(parent, typeof key === "number" ? key : String(key))
}

/** The state of what only a program makes. Cloudflare has nothing of it that an import could take over. */
export function readDeclaredOnly(state: State): State {
  // An import comes with an id alone.
  if (Object.keys(state.outputs).length > 0) return state
  throw new Error(
    "It cannot be imported, as Cloudflare has nothing of it: declare it, and `up` makes it",
  )
}

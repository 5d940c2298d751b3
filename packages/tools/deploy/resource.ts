import type { InputProblem } from "@accounts-stack/pulumi-host"
import type { Log } from "@accounts-stack/pulumi-host/log"
import { childPath, unknownValue } from "@accounts-stack/pulumi-host/properties"
import type * as z from "zod"

import type { Api } from "./api.ts"

export type Properties = Record<string, unknown>

export type Context = {
  /** Throws when the token is missing, which only operations at Cloudflare need. */
  api: () => Api
  log: Log
  /** Whether `pulumi` itself runs the operation, so that no command checks its plan. */
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

/** A resource type. It has no `delete`, because the objects that it changes belong to other resources. */
export type Resource = {
  inputs: z.ZodType
  /** Outputs that are encrypted in state. */
  secrets?: string[]
  /** Whether to read before every preview and update, so that they show changes made elsewhere. */
  refreshBeforeUpdate?: true
  diff(change: Omit<Change, "id">): Diff
  /** Returns the outputs known before `up`; throws to refuse the change. A creation has no `olds`. */
  preview(change: { inputs: Properties; olds?: Properties }, context: Context): Promise<Properties>
  create(change: { inputs: Properties }, context: Context): Promise<Outcome>
  update(change: Change, context: Context): Promise<Properties>
  /** Returns undefined when the resource is gone. */
  read(state: State, context: Context): Promise<State | undefined>
}

export type State = Outcome & { inputs: Properties }

/** Lists the problems of the inputs. Values that only `up` will know are checked then. */
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

/** Returns the state of a resource that exists only in Pulumi. @throws Error when it is imported */
export function readDeclaredOnly(state: State): State {
  // An import has only an id.
  if (Object.keys(state.outputs).length > 0) return state
  throw new Error(
    "It cannot be imported, as Cloudflare has nothing of it: declare it, and `up` makes it",
  )
}

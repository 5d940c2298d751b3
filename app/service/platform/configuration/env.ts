import type { BindingDeclaration, bindings } from "../../../bindings.ts"

/** Types of each kind of binding in the Worker; other kinds are unknown. */
type BindingValue = {
  d1: D1Database
  version_metadata: WorkerVersionMetadata
  plain_text: string
  secret_text: string
  ratelimit: RateLimit
  kv_namespace: KVNamespace
  queue: Queue
  r2_bucket: R2Bucket
  service: Fetcher
}
type ValueOf<Type> = Type extends keyof BindingValue ? BindingValue[Type] : unknown

type Declared = typeof bindings

type Required<When extends BindingDeclaration["required"]> = {
  [Name in keyof Declared]: Declared[Name]["required"] extends When ? Name : never
}[keyof Declared]

/** The Worker's bindings. Before they are parsed, only those that are required `always` are reliable. */
export type Env = {
  [Name in Required<"always">]: ValueOf<Declared[Name]["type"]>
} & {
  [Name in Required<"permanent" | "never">]?: ValueOf<Declared[Name]["type"]> | undefined
}

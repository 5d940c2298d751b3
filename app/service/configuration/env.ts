import type { BindingDeclaration, bindings } from "../../bindings.ts"

type BindingValue = {
  d1: D1Database
  version_metadata: WorkerVersionMetadata
  plain_text: string
  secret_text: string
  ratelimit: RateLimit
}

type Declared = typeof bindings

type Required<When extends BindingDeclaration["required"]> = {
  [Name in keyof Declared]: Declared[Name]["required"] extends When ? Name : never
}[keyof Declared]

/** The Worker's bindings. Before they are parsed, only those required `always` can be relied on. */
export type Env = {
  [Name in Required<"always">]: BindingValue[Declared[Name]["type"]]
} & {
  [Name in Required<"permanent" | "never">]?: BindingValue[Declared[Name]["type"]] | undefined
}

/** A binding of the Worker, as `app/bindings.ts` declares it. */
export type BindingDeclaration = {
  required: "always" | "permanent" | "never"
  summary: string
} & (
  | { type: "d1" | "version_metadata" | "plain_text" }
  | {
      type: "secret_text"
      made: "by the stack" | "by generate" | "by rotate" | "by its service"
      least: number
    }
  | { type: "ratelimit"; simple: { limit: number; period: 10 | 60 } }
)

export type Bindings = Record<string, BindingDeclaration>

/** Names of the bindings of one type. */
export type BindingOf<Table extends Bindings, Type extends BindingDeclaration["type"]> = {
  [Name in keyof Table]: Table[Name]["type"] extends Type ? Name : never
}[keyof Table]

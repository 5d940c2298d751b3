/** A binding of the Worker, as `app/bindings.ts` declares it. */
export type BindingDeclaration = {
  /** When the service refuses to run without the binding; `permanent` means staging and production. */
  required: "always" | "permanent" | "never"
  summary: string
} & (
  | { type: "d1" | "version_metadata" | "plain_text" }
  | {
      type: "secret_text"
      /** Made by the stack, at random by the user, by `./accounts secret rotate`, or by the service that it opens. */
      made: "by the stack" | "by generate" | "by rotate" | "by its service"
      /** Fewest characters. The service refuses to run with less of those that it makes itself. */
      least: number
    }
  | { type: "ratelimit"; simple: { limit: number; period: 10 | 60 } }
  | { type: ExternalKind }
)

/** Kinds that are not interpreted here, from Cloudflare's SDK 7.3.0. They reach Cloudflare unchanged. */
export type ExternalKind =
  | "ai"
  | "ai_search"
  | "ai_search_namespace"
  | "analytics_engine"
  | "artifacts"
  | "browser"
  | "dispatch_namespace"
  | "durable_object_namespace"
  | "flagship"
  | "hyperdrive"
  | "images"
  | "json"
  | "k2"
  | "kv_namespace"
  | "media"
  | "messaging"
  | "mtls_certificate"
  | "pipelines"
  | "queue"
  | "r2_bucket"
  | "secret_key"
  | "secrets_store_secret"
  | "send_email"
  | "service"
  | "vectorize"
  | "vpc_network"
  | "vpc_service"
  | "workflow"

export type Bindings = Record<string, BindingDeclaration>

/** Names of the bindings of one type. */
export type BindingOf<Table extends Bindings, Type extends BindingDeclaration["type"]> = {
  [Name in keyof Table]: Table[Name]["type"] extends Type ? Name : never
}[keyof Table]

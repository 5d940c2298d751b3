import { settings } from "./service/platform/configuration/settings.ts"

/** Uses Cloudflare's terms. infra/project.ts checks the other properties that each type needs. */
export type BindingDeclaration = {
  type: string
  /** Environments in which the service refuses to run without it; `permanent` means staging and production. */
  required: "always" | "permanent" | "never"
  /** Required unless the binding is a setting, which has a docblock instead. */
  summary?: string
  [detail: string]: unknown
}

/**
 * Every binding of the Worker. `Env`, the infrastructure, a version's bindings and docs/bindings.md derive from this
 * table. The compiler rejects a plain_text binding without a key if infra/project.ts has no source for it, and a
 * generated secret that is not listed here.
 */
export const bindings = {
  DB: { type: "d1", required: "always", summary: "The database; its schema is migrations/." },
  VERSION: {
    type: "version_metadata",
    required: "always",
    summary: "Id and tag of the running version, sent with every answer as accounts-version.",
  },
  SCHEMA_USE: {
    type: "plain_text",
    required: "never",
    summary:
      "JSON: newest migration of the build, and the columns that it uses by table. The deployment reads it of live versions, the service does not.",
  },
  ...settings,
  IDENTITY_PROVIDERS: {
    type: "plain_text",
    required: "never",
    summary:
      'JSON: {"<id>": {"issuer": "https://…"}}, or a preset as docs/identity-providers.md has it.',
  },
  IDP_CLIENT_ID: {
    type: "plain_text",
    required: "never",
    summary: "Client id at identity provider idp; others are IDP_<ID>_CLIENT_ID.",
  },
  IDP_CLIENT_SECRET: {
    type: "secret_text",
    required: "never",
    made: "by its service",
    least: 8,
    summary: "Client secret at identity provider idp; others are IDP_<ID>_CLIENT_SECRET.",
  },
  LIMIT_ADDRESS: {
    type: "ratelimit",
    required: "never",
    simple: { limit: 100, period: 60 },
    summary: "Attempts to sign in, sign up or request an e-mail, per client address.",
  },
  LIMIT_EMAIL: {
    type: "ratelimit",
    required: "never",
    simple: { limit: 10, period: 60 },
    summary:
      "Attempts to sign in, sign up or request an e-mail, per e-mail address from any client; and questions about a payment to its provider.",
  },
  LIMIT_MEMBER: {
    type: "ratelimit",
    required: "never",
    simple: { limit: 300, period: 60 },
    summary: "Typed operations, per member.",
  },
} as const satisfies Record<string, BindingDeclaration>

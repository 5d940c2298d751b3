import { settings } from "./service/platform/configuration/settings.ts"

/** In Cloudflare's words. What else each type needs is checked where infra/project.ts hands the table over. */
export type BindingDeclaration = {
  type: string
  /** Where the service refuses to run without it; `permanent` means staging and production. */
  required: "always" | "permanent" | "never"
  /** A setting has its docblock instead. */
  summary?: string
  [detail: string]: unknown
}

/**
 * Every binding of the Worker, as data. `Env` derives from this table, and so do the infrastructure, the bindings of
 * a version and docs/bindings.md. The program does not compile while a plain_text binding without a key of its own
 * has no source in infra/project.ts, or a secret that it generates is not listed here.
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

import { checkBindings } from "./check-bindings.ts"
import { factorBindings } from "./factor-bindings.ts"
import { leastSecret } from "./service/configuration/secret.ts"

/** In Cloudflare's words. What else each type needs is checked where infra/project.ts hands the table over. */
export type BindingDeclaration = {
  type: string
  /** Where the service refuses to run without it; `permanent` means staging and production. */
  required: "always" | "permanent" | "never"
  summary: string
  [detail: string]: unknown
}

/**
 * Every binding of the Worker, as data. `Env` derives from this table, and so do the infrastructure,
 * the bindings of a version and docs/bindings.md. The program does not compile while a plain_text
 * binding has no source in infra/project.ts, or a secret that it generates is not listed here.
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
  ENVIRONMENT: {
    type: "plain_text",
    required: "always",
    summary: "local, preview, staging or production; the last two are permanent and fail closed.",
  },
  NODE_ENV: {
    type: "plain_text",
    required: "permanent",
    summary: "production in permanent environments, development elsewhere; libraries read it.",
  },
  AUTH_SECRET: {
    type: "secret_text",
    required: "permanent",
    made: "by generate",
    least: leastSecret,
    summary:
      "Signs session cookies and links in e-mails. Another value ends all sessions, unless it is rotated.",
  },
  AUTH_SECRET_PREVIOUS: {
    type: "secret_text",
    required: "never",
    made: "by rotate",
    least: leastSecret,
    summary: "The AUTH_SECRET before: what it signed is accepted, so that nobody is signed out.",
  },
  AUTH_SECRET_FROM: {
    type: "plain_text",
    required: "never",
    summary: "When AUTH_SECRET begins to sign; AUTH_SECRET_PREVIOUS signs until then.",
  },
  ...factorBindings,
  AUTH_URL: {
    type: "plain_text",
    required: "permanent",
    summary:
      "Origin of the API, e.g. https://api.example.com; falls back to http://localhost:8787.",
  },
  AUTH_COOKIE_DOMAIN: {
    type: "plain_text",
    required: "never",
    summary: "Parent domain that shares the session cookie; by default the cookie is host-only.",
  },
  AUTH_TRUSTED_ORIGIN: {
    type: "plain_text",
    required: "never",
    summary: "Comma-separated origins that may call; by default those of WEB_URL and AUTH_URL.",
  },
  WEB_URL: {
    type: "plain_text",
    required: "permanent",
    summary: "Origin of the web front end; links in e-mails and sign-in redirects lead there.",
  },
  PAGES: {
    type: "plain_text",
    required: "never",
    summary:
      "true, or JSON of accounts:pages: the Worker has pages for people: sign-in, account, administration. Letters lead to them.",
  },
  LOCAL_PAGES: {
    type: "plain_text",
    required: "never",
    summary:
      "JSON: addresses by name, which the pages of local link to. Other environments ignore it.",
  },
  VERIFY_EMAIL: {
    type: "plain_text",
    required: "never",
    summary:
      "true: sign-in requires a verified e-mail address. Default: true in permanent environments.",
  },
  SIGN_UP: {
    type: "plain_text",
    required: "never",
    summary:
      "closed: nobody opens an account, by e-mail or a provider; invited: who has an invitation. Default: open.",
  },
  PASSWORDS: {
    type: "plain_text",
    required: "never",
    summary:
      "off: identity providers alone sign in, and every password route refuses. Default: on.",
  },
  EMAIL_CODE: {
    type: "plain_text",
    required: "never",
    summary:
      "on: a code that is sent to its address opens an account. Takes MAIL_URL. Default: off.",
  },
  PASSKEYS: {
    type: "plain_text",
    required: "never",
    summary: "The domain below which passkeys work, or off. Default: off; a stack always sets it.",
  },
  ...checkBindings,
  MAIL_URL: {
    type: "plain_text",
    required: "never",
    summary:
      "Mail service: each e-mail is posted there as JSON {from, to, subject, text}; one that may come again has an Idempotency-Key.",
  },
  MAIL_FROM: {
    type: "plain_text",
    required: "never",
    summary: "Sender of the e-mails; by default no-reply at the host of WEB_URL.",
  },
  KEEP_MAIL: {
    type: "plain_text",
    required: "never",
    summary:
      "true: the newest e-mails are kept in the database of a preview, and none is sent. Permanent environments ignore it.",
  },
  MAIL_SECRET: {
    type: "secret_text",
    required: "never",
    made: "by its service",
    least: 8,
    summary: "Bearer token for the mail service.",
  },
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
  PAYMENT_URL: {
    type: "plain_text",
    required: "never",
    summary:
      "Origin of the Stripe-compatible payment provider; set all three payment bindings or none.",
  },
  PAYMENT_SECRET: {
    type: "secret_text",
    required: "never",
    made: "by its service",
    least: 8,
    summary: "API key at the payment provider.",
  },
  PAYMENT_WEBHOOK_SECRET: {
    type: "secret_text",
    required: "never",
    made: "by its service",
    least: 8,
    summary: "Key that the payment provider signs its webhooks with.",
  },
  FRONT_END_KEY: {
    type: "secret_text",
    required: "never",
    made: "by its service",
    least: leastSecret,
    summary:
      "Key that the server of a front end signs the addresses of its readers with, so that limits are theirs.",
  },
  SMOKE_KEY: {
    type: "secret_text",
    required: "never",
    made: "by the stack",
    least: leastSecret,
    summary: "Key of the one-time codes that let a release sign up its smoke-test account.",
  },
  READ_REPLICATION: {
    type: "plain_text",
    required: "never",
    summary:
      "auto: members read what is their own from the nearest copy of the database. Default: disabled.",
  },
  TOKENS: {
    type: "plain_text",
    required: "never",
    summary: 'JSON: {"audiences": ["https://…"], "minutes": 5}, the services that tokens are for.',
  },
  SESSION_CACHE: {
    type: "plain_text",
    required: "never",
    summary: "Seconds for which get-session and whoami may answer without the database.",
  },
  SESSION_GRACE: {
    type: "plain_text",
    required: "never",
    summary: "Seconds for which they may while the database does not answer.",
  },
  SESSION_DAYS: {
    type: "plain_text",
    required: "never",
    summary: "Days that a session lasts at most, however much it is used. Default: 30.",
  },
  LETTER_PAGES: {
    type: "plain_text",
    required: "never",
    summary:
      "Comma-separated paths of WEB_URL that the link of an e-mail may lead to, beside /. Default: none.",
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

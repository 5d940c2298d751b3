import { leastSecret } from "./service/configuration/secret.ts"

/** In Cloudflare's words. What else each type needs is checked where infra/project.ts hands the table over. */
export type BindingDeclaration = {
  type: string
  /** Where the service refuses to run without it; `permanent` means staging and production. */
  required: "always" | "permanent" | "never"
  summary: string
  [detail: string]: unknown
}

function text(summary: string) {
  return { type: "plain_text", required: "never", summary } as const
}

/** @param made by whom; of those that the service knows how to make, short ones are refused */
function secret<const Made extends string>(made: Made, summary: string) {
  const least = made === "by its service" ? 8 : leastSecret
  return { type: "secret_text", required: "never", made, least, summary } as const
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
  SCHEMA_USE: text(
    "JSON: newest migration of the build, and the columns that it uses by table. The deployment reads it of live versions, the service does not.",
  ),
  ENVIRONMENT: {
    ...text("local, preview, staging or production; the last two are permanent and fail closed."),
    required: "always",
  },
  NODE_ENV: {
    ...text("production in permanent environments, development elsewhere; libraries read it."),
    required: "permanent",
  },
  AUTH_SECRET: {
    ...secret(
      "by generate",
      "Signs session cookies and links in e-mails. Another value ends all sessions, unless it is rotated.",
    ),
    required: "permanent",
  },
  AUTH_SECRET_PREVIOUS: secret(
    "by rotate",
    "The AUTH_SECRET before: what it signed is accepted, so that nobody is signed out.",
  ),
  AUTH_SECRET_FROM: text("When AUTH_SECRET begins to sign; AUTH_SECRET_PREVIOUS signs until then."),
  FACTOR_SECRET: secret(
    "by generate",
    "Seals the secrets of members' authenticator apps. Without it nobody turns on a second factor; another value makes all apps useless, unless FACTOR_SECRET_PREVIOUS has the one before.",
  ),
  FACTOR_SECRET_PREVIOUS: secret(
    "by rotate",
    "The FACTOR_SECRET before: from FACTOR_SECRET_FROM on the hourly run seals anew what it sealed, and logs how much is left.",
  ),
  FACTOR_SECRET_FROM: text(
    "When FACTOR_SECRET begins to seal; FACTOR_SECRET_PREVIOUS seals until then.",
  ),
  SECOND_FACTOR: text(
    "off: nobody turns on a second factor; who has one is still asked for it. Default: on, where FACTOR_SECRET is set.",
  ),
  REQUIRE_SECOND_FACTOR: text(
    "owners, admins (and owners) or everybody: their sessions do nothing before they have shown a second factor. Default: none.",
  ),
  AUTH_URL: {
    ...text(
      "Origin of the API, e.g. https://api.example.com; falls back to http://localhost:8787.",
    ),
    required: "permanent",
  },
  AUTH_COOKIE_DOMAIN: text(
    "Parent domain that shares the session cookie; by default the cookie is host-only.",
  ),
  AUTH_TRUSTED_ORIGIN: text(
    "Comma-separated origins that may call; by default those of WEB_URL and AUTH_URL.",
  ),
  WEB_URL: {
    ...text("Origin of the web front end; links in e-mails and sign-in redirects lead there."),
    required: "permanent",
  },
  PAGES: text(
    "true, or JSON of accounts:pages: the Worker has pages for people: sign-in, account, administration. Letters lead to them.",
  ),
  LOCAL_PAGES: text(
    "JSON: addresses by name, which the pages of local link to. Other environments ignore it.",
  ),
  VERIFY_EMAIL: text(
    "true: sign-in requires a verified e-mail address. Default: true in permanent environments.",
  ),
  SIGN_UP: text(
    "closed: nobody opens an account, by e-mail or a provider; invited: who has an invitation. Default: open.",
  ),
  PASSWORDS: text(
    "off: nobody signs in with a password, and every route of passwords refuses. Default: on.",
  ),
  EMAIL_CODE: text(
    "on: members sign in with a code that is sent to their address. Takes MAIL_URL. Default: off.",
  ),
  PASSKEYS: text(
    "The domain below which passkeys work, or off. Default: off; a stack always sets it.",
  ),
  BREACHED_PASSWORDS: text(
    "refuse: no password is chosen that Have I Been Pwned knows from a leak. Default: none is asked about.",
  ),
  LOCAL_CHECKS: text(
    "Origin of the sandbox that stands in for Have I Been Pwned and Turnstile. Other environments than local ignore it.",
  ),
  TURNSTILE_SITE_KEY: text(
    "Of the Turnstile widget that a browser must pass before it signs up or asks for a letter. Default: none.",
  ),
  TURNSTILE_SECRET: secret("by its service", "Key of that widget, for the service."),
  MAIL_URL: text(
    "Mail service: each e-mail is posted there as JSON {from, to, subject, text}; one that may come again has an Idempotency-Key.",
  ),
  MAIL_FROM: text("Sender of the e-mails; by default no-reply at the host of WEB_URL."),
  KEEP_MAIL: text(
    "true: the newest e-mails are kept in the database of a preview, and none is sent. Permanent environments ignore it.",
  ),
  MAIL_SECRET: secret("by its service", "Bearer token for the mail service."),
  IDENTITY_PROVIDERS: text(
    'JSON: {"<id>": {"issuer": "https://…"}}, or a preset as docs/identity-providers.md has it.',
  ),
  IDP_CLIENT_ID: text("Client id at identity provider idp; others are IDP_<ID>_CLIENT_ID."),
  IDP_CLIENT_SECRET: secret(
    "by its service",
    "Client secret at identity provider idp; others are IDP_<ID>_CLIENT_SECRET.",
  ),
  PAYMENT_URL: text(
    "Origin of the Stripe-compatible payment provider; set all three payment bindings or none.",
  ),
  PAYMENT_SECRET: secret("by its service", "API key at the payment provider."),
  PAYMENT_WEBHOOK_SECRET: secret(
    "by its service",
    "Key that the payment provider signs its webhooks with.",
  ),
  FRONT_END_KEY: {
    ...secret(
      "by its service",
      "Key that the server of a front end signs the addresses of its readers with, so that limits are theirs.",
    ),
    least: leastSecret,
  },
  SMOKE_KEY: secret(
    "by the stack",
    "Key of the one-time codes that let a release sign up its smoke-test account.",
  ),
  READ_REPLICATION: text(
    "auto: members read what is their own from the nearest copy of the database. Default: disabled.",
  ),
  TOKENS: text(
    'JSON: {"audiences": ["https://…"], "minutes": 5}, the services that tokens are for.',
  ),
  SESSION_DAYS: text("Days that a session lasts at most, however much it is used. Default: 30."),
  LETTER_PAGES: text(
    "Comma-separated paths of WEB_URL that the link of an e-mail may lead to, beside /. Default: none.",
  ),
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

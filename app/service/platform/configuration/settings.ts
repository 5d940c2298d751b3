import * as z from "zod"

import { SessionDays } from "../cookie/browser-cookies.ts"
import { LetterPages } from "../http/redirect.ts"
import { PagesSettings } from "./pages-settings.ts"
import { parseJson } from "./provider.ts"
import { conceal, leastSecret, RotationTime } from "./secret.ts"
import { TokenSettings } from "./token-settings.ts"

/* `*` is a legal host to a URL parser, and a pattern to the authentication library. */
const origin = z
  .string()
  .refine((value) => /^https?:/.test(value) && URL.parse(value)?.origin === value, {
    error: "must be an origin such as https://api.example.com, without path or final slash",
  })
  .refine((value) => !value.includes("*"), {
    error: "must name one host: * is no wildcard here",
  })

const secureOrigin = origin.refine((value) => value.startsWith("https://"), {
  error: "must begin with https:// in a permanent environment",
})

function listOf<Schema extends z.ZodType<unknown, string[]>>(schema: Schema) {
  return z
    .string()
    .transform((list) => list.split(",").map((part) => part.trim()))
    .pipe(schema)
    .optional()
}

function fromJson<Schema extends z.ZodType>(schema: Schema) {
  return z.string().transform(parseJson).pipe(schema).optional()
}

const ignored = z
  .unknown()
  .optional()
  .transform(() => undefined)

/** Declares a variable made of keys that the tools read: infra/project.ts says of which. */
function text<Parser extends z.ZodType>(parser: Parser) {
  return { type: "plain_text", required: "never", parser } as const
}

/** Declares a variable with its key of stack files. */
function keyed<Key extends string, Schema extends z.ZodType, Parser extends z.ZodType>(
  key: Key,
  { schema, parser }: { schema: Schema; parser: Parser },
) {
  return { ...text(parser), key, schema }
}

/** Declares a choice between words; the first is the default. */
function choice<Key extends string, const Words extends [string, ...string[]]>(
  key: Key,
  words: Words,
) {
  const schema = z.enum(words).default(() => words[0])
  return keyed(key, { schema, parser: schema })
}

function onOff<Key extends string>(key: Key, usual: "on" | "off") {
  const schema = z.enum(["on", "off"]).default(usual)
  const parser = z.stringbool({ truthy: ["on"], falsy: ["off"] }).default(usual === "on")
  return keyed(key, { schema, parser })
}

function secret<const Maker extends string, Least extends number, Parser extends z.ZodType>(kind: {
  made: Maker
  least: Least
  parser: Parser
}) {
  return { type: "secret_text", required: "never", ...kind } as const
}

const DrawnSecret = z
  .string()
  .min(leastSecret, `must have ${leastSecret} characters or more; make one: openssl rand -hex 32`)
  .transform(conceal)

/** Declares a randomly generated secret; a short one is rejected. */
function drawn<const Maker extends string>(maker: Maker) {
  return secret({ made: maker, least: leastSecret, parser: DrawnSecret.optional() })
}

/** Declares a secret that another service creates, accepted as it is. */
function foreign() {
  const parser = z.string().transform(conceal).optional()
  return secret({ made: "by its service", least: 8, parser })
}

/**
 * Every variable and secret of the service: its name, the parser of its text (a different one for permanent
 * environments if it says that), and its key in stack files with the values that it takes. The configuration has
 * each parsed value with a key, under the camelCase name of its variable. The docblock of a setting says what it is
 * for in docs/bindings.md and the schema of stack files: a comment, because the Worker does not need it.
 */
export const settings = {
  /** local, preview, staging or production; the last two are permanent and fail closed. */
  ENVIRONMENT: {
    ...text(z.enum(["local", "preview"])),
    required: "always",
    permanent: z.enum(["staging", "production"]),
  },
  /** production in permanent environments, development elsewhere; libraries read it. */
  NODE_ENV: {
    ...text(z.string().optional()),
    required: "permanent",
    permanent: z.literal("production"),
  },
  /** Signs session cookies and links in e-mails. Another value ends all sessions, unless it is rotated. */
  AUTH_SECRET: {
    ...drawn("by generate"),
    required: "permanent",
    permanent: DrawnSecret,
  },
  /** The previous AUTH_SECRET: what it signed is accepted, so that no member is signed out. */
  AUTH_SECRET_PREVIOUS: drawn("by rotate"),
  /** When AUTH_SECRET begins to sign; AUTH_SECRET_PREVIOUS signs until then. */
  AUTH_SECRET_FROM: text(RotationTime),
  /**
   * Seals the secrets of members' authenticator apps. Without it no member can turn on a second factor; another
   * value makes all apps useless, unless FACTOR_SECRET_PREVIOUS has the previous one.
   */
  FACTOR_SECRET: drawn("by generate"),
  /**
   * The previous FACTOR_SECRET: from FACTOR_SECRET_FROM on the hourly run seals again what it sealed, and logs
   * how much remains.
   */
  FACTOR_SECRET_PREVIOUS: drawn("by rotate"),
  /**
   * When FACTOR_SECRET begins to seal, in UTC; FACTOR_SECRET_PREVIOUS does until then. ./accounts secret rotate
   * writes both.
   */
  FACTOR_SECRET_FROM: keyed("factorSecretFrom", { schema: RotationTime, parser: RotationTime }),
  /**
   * off: no member can turn on a second factor; those who have one are still asked for it. on takes
   * FACTOR_SECRET among the secrets.
   */
  SECOND_FACTOR: onOff("secondFactor", "on"),
  /**
   * Accounts that must have a second factor: `owners`, `admins` (and owners) or `everybody`. Until they have
   * passed it, their sessions can only turn one on. ./accounts account ways counts them.
   */
  REQUIRE_SECOND_FACTOR: choice("requireSecondFactor", ["none", "owners", "admins", "everybody"]),
  /** Origin of the API, e.g. https://api.example.com; falls back to http://localhost:8787. */
  AUTH_URL: {
    ...text(origin.optional()),
    required: "permanent",
    permanent: secureOrigin,
  },
  /** Parent domain that shares the session cookie; by default the cookie is host-only. */
  AUTH_COOKIE_DOMAIN: text(z.hostname().optional()),
  /** Comma-separated origins that may call; by default those of WEB_URL and AUTH_URL. */
  AUTH_TRUSTED_ORIGIN: {
    ...text(listOf(z.array(origin).min(1))),
    permanent: listOf(z.array(secureOrigin).min(1)),
  },
  /** Origin of the web front end; links in e-mails and sign-in redirects lead there. */
  WEB_URL: {
    ...text(origin.optional()),
    required: "permanent",
    permanent: secureOrigin,
  },
  /**
   * The Worker has pages for people: sign-in, account and administration, at apiOrigin; e-mails lead to them.
   * true, or what makes them your own: name, logo, color, home, links, languages. Default: none.
   */
  PAGES: keyed("pages", { schema: PagesSettings.optional(), parser: fromJson(PagesSettings) }),
  /** JSON: addresses by name, which the pages of local link to. Other environments ignore it. */
  LOCAL_PAGES: text(fromJson(z.record(z.string(), z.url()))),
  /** true: sign-in requires a verified e-mail address. Default: true in permanent environments. */
  VERIFY_EMAIL: text(z.stringbool({ truthy: ["true"], falsy: ["false"] }).optional()),
  /**
   * closed: no account can be opened, by e-mail or a provider; a sign-up that waits for its e-mail can be
   * finished. invited: only addresses that an admin has invited by inviteUser.
   */
  SIGN_UP: choice("signUp", ["open", "closed", "invited"]),
  /**
   * off: identity providers alone sign in, and every password route refuses. ./accounts account ways counts
   * whom that keeps out.
   */
  PASSWORDS: onOff("password", "on"),
  /**
   * on: a code that is sent to its address opens an account, in the browser that asked for it. Takes mailUrl.
   */
  EMAIL_CODE: onOff("emailCode", "off"),
  /**
   * rpId: the domain below which passkeys work. Another one makes all of them useless, and is deployed only
   * with insteadOf: the one before. Default: cookieDomain, else the host of apiOrigin.
   */
  PASSKEYS: keyed("passkeys", {
    schema: z
      .union([
        z.literal("off"),
        z.strictObject({ rpId: z.hostname(), insteadOf: z.hostname().optional() }),
      ])
      .optional(),
    parser: z.union([z.literal("off"), z.hostname()]).default("off"),
  }),
  /**
   * refuse: no member can choose a password that Have I Been Pwned knows from a leak; it is asked by five
   * digits of the hash, and a password passes while it does not answer.
   */
  BREACHED_PASSWORDS: choice("breachedPasswords", ["off", "refuse"]),
  /** Origin of the sandbox that answers in place of Have I Been Pwned and Turnstile, in local alone. */
  LOCAL_CHECKS: keyed("checksUrl", {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    parser: z.url({ protocol: /^https?$/ }).optional(),
  }),
  /**
   * siteKey: of Turnstile's widget that a browser must pass before it signs up or asks for an e-mail; its key
   * for the service is TURNSTILE_SECRET. Default: none.
   */
  TURNSTILE_SITE_KEY: keyed("turnstile", {
    schema: z
      .strictObject({ siteKey: z.string().regex(/^[\w-]{1,100}$/, "must be a site key") })
      .optional(),
    parser: z.string().optional(),
  }),
  /** Key of that widget, for the service. */
  TURNSTILE_SECRET: foreign(),
  /**
   * Mail service: each e-mail is posted there as JSON {from, to, subject, text}; one that may come again has an
   * Idempotency-Key.
   */
  MAIL_URL: text(z.url().optional()),
  /** Sender of the e-mails; by default no-reply at the host of WEB_URL. */
  MAIL_FROM: text(z.string().optional()),
  /**
   * true: the newest e-mails are kept in the database of a preview, and none is sent. Permanent environments
   * ignore it.
   */
  KEEP_MAIL: {
    ...text(z.literal("true").optional()),
    permanent: ignored,
  },
  /** Bearer token for the mail service. */
  MAIL_SECRET: foreign(),
  /** Origin of the Stripe-compatible payment provider; set all three payment bindings or none. */
  PAYMENT_URL: text(origin.optional()),
  /** API key at the payment provider. */
  PAYMENT_SECRET: foreign(),
  /** Key that the payment provider signs its webhooks with. */
  PAYMENT_WEBHOOK_SECRET: foreign(),
  /** Key that the server of a front end signs the addresses of its readers with, so that limits are theirs. */
  FRONT_END_KEY: drawn("by its service"),
  /** Key of the one-time codes that let a release sign up its smoke-test account. */
  SMOKE_KEY: drawn("by the stack"),
  /** auto: members read what is their own from the nearest copy of the database. Default: disabled. */
  READ_REPLICATION: text(z.enum(["auto", "disabled"]).optional()),
  /** JSON: {"audiences": ["https://…"], "minutes": 5}, the services that tokens are for. */
  TOKENS: text(fromJson(TokenSettings)),
  /** Days that a session lasts at most, however much it is used. Default: 30. */
  SESSION_DAYS: keyed("sessionDays", {
    schema: SessionDays.optional(),
    parser: z.coerce.number().pipe(SessionDays).default(30),
  }),
  /**
   * Paths of webOrigin that the link of an e-mail may lead to beside /, as callbackURL and redirectTo of its
   * request name them. Default: none.
   */
  LETTER_PAGES: keyed("letterPages", {
    schema: LetterPages.optional(),
    parser: listOf(LetterPages),
  }),
} as const

export type Settings = typeof settings

type ParserOf<Setting, Lifetime> = Lifetime extends "permanent"
  ? Setting extends { permanent: infer Parser }
    ? Parser
    : ParserOf<Setting, "temporary">
  : Setting extends { parser: infer Parser }
    ? Parser
    : never

/** The parsers of all settings by name, for an environment that is permanent or not. */
export function parsersOf<Lifetime extends "permanent" | "temporary">(
  lifetime: Lifetime,
): { [Name in keyof Settings]: ParserOf<Settings[Name], Lifetime> }
export function parsersOf(lifetime: "permanent" | "temporary") {
  const parsers = Object.entries(settings).map(([name, setting]) => [
    name,
    lifetime === "permanent" && "permanent" in setting ? setting.permanent : setting.parser,
  ])
  return Object.fromEntries(parsers)
}

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<Camel<Tail>>}`
  : Lowercase<Name>

/** Names of the settings with a key of stack files. */
export type Keyed = {
  [Name in keyof Settings]: Settings[Name] extends { key: string } ? Name : never
}[keyof Settings]

/** The settings with a key of stack files. */
export function keyedSettings() {
  return Object.entries(settings).flatMap(([name, setting]) =>
    "key" in setting ? [{ name, ...setting }] : [],
  )
}

/** The values of settings with a key, by the name that the configuration has them under. */
export function keyedValues<Values extends { [Name in Keyed]?: unknown }>(
  values: Values,
): { [Name in Keyed as Camel<Name>]: Values[Name] }
export function keyedValues(values: Record<string, unknown>) {
  return Object.fromEntries(
    keyedSettings().map(({ name }) => [
      name.toLowerCase().replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase()),
      values[name],
    ]),
  )
}

import * as z from "zod"

import { SessionDays } from "../auth/cookie/browser-cookies.ts"
import { createKeys } from "../auth/keys.ts"
import { relyingPartyOf } from "../auth/passkey/credential.ts"
import { parseJson, readProviders } from "../auth/provider/provider.ts"
import { LetterPages } from "../http/redirect.ts"
import type { MailSender } from "../mail/mail.ts"
import { TokenSettings } from "../token/token-settings.ts"
import type { Env, TextBinding } from "./env.ts"
import { PagesSettings } from "./pages-settings.ts"
import { conceal, leastSecret, orderSecrets, RotationTime, signingSecrets } from "./secret.ts"

const fallbackUrl = "http://localhost:8787"

function unset({ input }: { input?: unknown }) {
  return input === undefined ? "is missing" : undefined
}

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

function listOf(entry: typeof origin) {
  return z
    .string()
    .transform((list) => list.split(",").map((part) => part.trim()))
    .pipe(z.array(entry).min(1))
    .optional()
}

function secret(least = 0) {
  return z
    .string()
    .min(least, `must have ${least} characters or more; make one: openssl rand -hex 32`)
    .transform(conceal)
}

const AuthSecret = secret(leastSecret)

const factorKeys = {
  SECOND_FACTOR: z.stringbool({ truthy: ["on"], falsy: ["off"] }).default(true),
  REQUIRE_SECOND_FACTOR: z.enum(["none", "owners", "admins", "everybody"]).default("none"),
  FACTOR_SECRET: secret(leastSecret).optional(),
  FACTOR_SECRET_PREVIOUS: secret(leastSecret).optional(),
  FACTOR_SECRET_FROM: RotationTime,
}

const checkKeys = {
  BREACHED_PASSWORDS: z.literal("refuse").optional(),
  LOCAL_CHECKS: z.url({ protocol: /^https?$/ }).optional(),
  TURNSTILE_SITE_KEY: z.string().optional(),
  TURNSTILE_SECRET: z.string().transform(conceal).optional(),
}

const Optional = z.object({
  AUTH_COOKIE_DOMAIN: z.hostname().optional(),
  AUTH_TRUSTED_ORIGIN: listOf(origin),
  LOCAL_PAGES: z.string().transform(parseJson).pipe(z.record(z.string(), z.url())).optional(),
  PAGES: z.string().transform(parseJson).pipe(PagesSettings).optional(),
  VERIFY_EMAIL: z.stringbool({ truthy: ["true"], falsy: ["false"] }).optional(),
  SIGN_UP: z.enum(["open", "closed", "invited"]).default("open"),
  PASSKEYS: z.union([z.literal("off"), z.hostname()]).default("off"),
  PASSWORDS: z.stringbool({ truthy: ["on"], falsy: ["off"] }).default(true),
  EMAIL_CODE: z.stringbool({ truthy: ["on"], falsy: ["off"] }).default(false),
  ...factorKeys,
  ...checkKeys,
  READ_REPLICATION: z.enum(["auto", "disabled"]).optional(),
  SESSION_DAYS: z.coerce.number().pipe(SessionDays.unwrap()).optional(),
  LETTER_PAGES: z
    .string()
    .transform((list) => list.split(","))
    .pipe(LetterPages.unwrap())
    .optional(),
  MAIL_URL: z.url().optional(),
  MAIL_FROM: z.string().optional(),
  MAIL_SECRET: secret().optional(),
  PAYMENT_URL: origin.optional(),
  PAYMENT_SECRET: secret().optional(),
  PAYMENT_WEBHOOK_SECRET: secret().optional(),
  TOKENS: z.string().transform(parseJson).pipe(TokenSettings).optional(),
  SMOKE_KEY: secret(leastSecret).optional(),
  FRONT_END_KEY: secret(leastSecret).optional(),
  AUTH_SECRET_PREVIOUS: secret(leastSecret).optional(),
  AUTH_SECRET_FROM: RotationTime,
})

const Temporary = Optional.extend({
  ENVIRONMENT: z.enum(["local", "preview"]),
  KEEP_MAIL: z.literal("true").optional(),
  AUTH_SECRET: AuthSecret.optional(),
  AUTH_URL: origin.optional(),
  WEB_URL: origin.optional(),
})

const Permanent = Optional.extend({
  ENVIRONMENT: z.enum(["staging", "production"]),
  NODE_ENV: z.literal("production"),
  AUTH_SECRET: AuthSecret,
  AUTH_URL: secureOrigin,
  AUTH_TRUSTED_ORIGIN: listOf(secureOrigin),
  WEB_URL: secureOrigin,
})

const Environment = z.discriminatedUnion("ENVIRONMENT", [Temporary, Permanent])

/** Does not compile while a text of app/bindings.ts is not parsed above. */
type Parsed<Name extends keyof z.input<typeof Temporary> | keyof z.input<typeof Permanent>> = Name

/** The deployment reads SCHEMA_USE, and `readProviders` what it is called after a provider. */
type ReadElsewhere = "SCHEMA_USE" | "IDENTITY_PROVIDERS" | `IDP_${string}`

type Present = Partial<Record<Parsed<Exclude<TextBinding, ReadElsewhere>>, unknown>>

/** What the service is configured with. Secrets are concealed, and AUTH_SECRET is in `keys` alone. */
export type Configuration = Extract<
  ReturnType<typeof readConfiguration>,
  { warnings: string[] }
>["configuration"]

/**
 * Reads the bindings once and lists every problem at once. Call it inside a handler: without
 * AUTH_SECRET it draws random bytes, which workerd forbids at module scope.
 */
export function readConfiguration(bound: Env) {
  const present: Present = Object.fromEntries(
    Object.entries(bound).filter(([, value]) => value !== ""),
  )
  const parsed = Environment.safeParse(present, { error: unset })
  const { providers, problems: providerProblems } = readProviders(present)
  const early = [...reservedNames(Object.keys(present)), ...providerProblems]
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`)
    return { problems: [...problems, ...early] }
  }
  const values = parsed.data
  const url = values.AUTH_URL ?? fallbackUrl
  const webUrl = values.WEB_URL ?? url
  const environment = values.ENVIRONMENT
  const { secrets, rereadAt } = signingSecrets(values, Date.now())
  const factors = factorsOf(values)
  const permanent = values.ENVIRONMENT === "staging" || values.ENVIRONMENT === "production"
  const verifyEmail = values.VERIFY_EMAIL ?? permanent
  const problems = [...early, ...domainProblems(url, values.AUTH_COOKIE_DOMAIN)]
  problems.push(...paymentProblems(values), ...checkProblems(values), ...factorProblems(values))
  if (!values.PASSWORDS && !values.EMAIL_CODE && providers.length === 0) {
    problems.push("PASSWORDS: nobody signs in without an identity provider; declare one, or set on")
  }
  const trustedOrigins = values.AUTH_TRUSTED_ORIGIN ?? [...new Set([webUrl, url])]
  const passkeys = relyingPartyOf(values.PASSKEYS, trustedOrigins)
  if (passkeys === undefined && values.PASSKEYS !== "off") {
    problems.push("PASSKEYS: no trusted origin lies below it, so nobody could use one; or set off")
  }
  const keepMail = "KEEP_MAIL" in values && values.KEEP_MAIL !== undefined
  if (values.MAIL_URL === undefined && !keepMail) {
    if (values.EMAIL_CODE) {
      problems.push("EMAIL_CODE: its letters take MAIL_URL; set that, or EMAIL_CODE to off")
    }
    if (verifyEmail) {
      problems.push(
        "MAIL_URL: is missing, so no address can be verified; or set VERIFY_EMAIL to false",
      )
    }
  }
  if (values.TOKENS !== undefined && values.AUTH_SECRET === undefined) {
    problems.push(
      "AUTH_SECRET: is missing, so each isolate would sign TOKENS with a key of its own",
    )
  }
  if (problems.length > 0) return { problems }
  const look: PagesSettings = values.PAGES === true ? {} : (values.PAGES ?? {})
  const warnings: string[] = []
  if (values.AUTH_SECRET === undefined) {
    warnings.push(
      "AUTH_SECRET is not set: a random one is in use, and sessions end with this isolate",
    )
  }
  if (values.AUTH_URL === undefined) {
    warnings.push(`AUTH_URL is not set: ${fallbackUrl} is assumed and sign-in elsewhere may fail`)
  }
  return {
    warnings,
    configuration: {
      environment,
      permanent,
      keys: createKeys({ secrets, environment, verifyEmail }),
      /** Unix time (ms) at which another secret begins to sign or seal; all of this is read again then. */
      rereadAt: Math.min(rereadAt ?? Infinity, factors.factorSecretFrom ?? Infinity),
      url,
      webUrl,
      /** Addresses by name of what runs beside the service on a developer's machine. */
      localPages: environment === "local" ? (values.LOCAL_PAGES ?? {}) : {},
      /** Whether the service has pages of its own. */
      pages: values.PAGES !== undefined,
      /** What the operator chose of their names, colours, links and languages. */
      look,
      siteName: look.name,
      /** Where letters and the payment provider lead: the front end, or the service's own pages. */
      siteUrl: values.PAGES === undefined ? webUrl : url,
      /** Parent domain of the session cookie; without it the cookie is host-only. */
      cookieDomain: values.AUTH_COOKIE_DOMAIN,
      trustedOrigins,
      /** Whom passkeys are made for; undefined where nobody uses any. */
      passkeys,
      identityProviders: providers,
      /** Whether signing in takes a verified e-mail address. */
      verifyEmail,
      ...factors,
      signUp: values.SIGN_UP,
      passwords: values.PASSWORDS,
      emailCode: values.EMAIL_CODE,
      ...checksOf(values, environment),
      /** Whether copies of the database may answer what members read of their own. */
      readReplication: values.READ_REPLICATION === "auto",
      /** After which a session ends, however much it is used. */
      sessionDays: values.SESSION_DAYS ?? 30,
      /** Pages that the link of a letter may lead to. */
      letterPages: [
        ...["", "/", ...(values.LETTER_PAGES ?? [])].map((page) => `${webUrl}${page}`),
        ...(values.PAGES === undefined ? [] : [`${url}/verify`]),
      ],
      mail: mailSender(values, webUrl),
      /** Whether letters are kept in the database instead, as nothing but a preview may. */
      keepMail,
      payment: paymentAccount(values),
      smokeKey: values.SMOKE_KEY,
      /** Of the server of a front end, which signs the addresses of its readers. */
      frontEndKey: values.FRONT_END_KEY,
      /** Undefined where other services get no tokens. */
      tokens: values.TOKENS,
    },
  }
}

function mailSender(values: z.infer<typeof Optional>, webUrl: string): MailSender | undefined {
  if (values.MAIL_URL === undefined) return undefined
  return {
    url: values.MAIL_URL,
    from: values.MAIL_FROM ?? `no-reply@${new URL(webUrl).hostname}`,
    secret: values.MAIL_SECRET,
  }
}

function paymentAccount(values: z.infer<typeof Optional>) {
  const { PAYMENT_URL: url, PAYMENT_SECRET: key, PAYMENT_WEBHOOK_SECRET: webhookSecret } = values
  if (url === undefined || key === undefined || webhookSecret === undefined) return undefined
  return { url, secret: key, webhookSecret }
}

function paymentProblems(values: z.infer<typeof Optional>) {
  const names = ["PAYMENT_URL", "PAYMENT_SECRET", "PAYMENT_WEBHOOK_SECRET"] as const
  const missing = names.filter((name) => values[name] === undefined)
  if (missing.length === names.length) return []
  return missing.map((name) => `${name}: is missing, while other payment bindings are set`)
}

function domainProblems(url: string, domain: string | undefined) {
  const host = new URL(url).hostname
  if (domain === undefined || host === domain) return []
  // Nor does any browser take a cookie for all of a top-level domain.
  if (domain.includes(".") && host.endsWith(`.${domain}`)) return []
  return [`AUTH_COOKIE_DOMAIN: ${host} is not under ${domain}, so browsers would drop the cookie`]
}

/** The authentication library reads these names by itself and would change its behaviour. */
function reservedNames(names: string[]) {
  return names
    .filter((name) => name === "TEST" || name.startsWith("BETTER_AUTH_"))
    .map((name) => `${name}: must not be bound; the authentication library reads it by itself`)
}

type Checks = z.infer<z.ZodObject<typeof checkKeys>>

/** What others are asked before the service does something; undefined where they are not. */
function checksOf(values: Checks, environment: string) {
  // Nowhere else may a variable say who learns of passwords and of those who sign up.
  const sandbox = environment === "local" ? values.LOCAL_CHECKS : undefined
  const { TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET: key } = values
  const url = sandbox ?? "https://challenges.cloudflare.com"
  return {
    /** Origin of the list of leaked passwords. */
    leaks: values.BREACHED_PASSWORDS && (sandbox ?? "https://api.pwnedpasswords.com"),
    turnstile:
      siteKey === undefined || key === undefined ? undefined : { siteKey, secret: key, url },
  }
}

function checkProblems({ TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET: key }: Checks) {
  return siteKey !== undefined && key === undefined
    ? ["TURNSTILE_SECRET: is missing, so no token of TURNSTILE_SITE_KEY can be checked"]
    : []
}

type FactorValues = z.infer<z.ZodObject<typeof factorKeys>>

/** What the environment has for second factors. */
function factorsOf(values: FactorValues) {
  const { FACTOR_SECRET: current, FACTOR_SECRET_PREVIOUS: previous, SECOND_FACTOR: isOn } = values
  const from = values.FACTOR_SECRET_FROM
  const ordered = current && orderSecrets({ current, previous, from }, Date.now())
  return {
    /** What seals the secrets of members' apps, and then what opens them too; none where nobody can have one. */
    factorSecrets: ordered?.secrets ?? [],
    /** Unix time (ms) at which another one begins to seal; undefined where the newest does. */
    factorSecretFrom: ordered?.rereadAt,
    /** Whether members may turn a second factor on. Who has one is asked for it all the same. */
    secondFactor: isOn && current !== undefined,
    /** Whose accounts must have one: a session that has shown none does nothing else there. */
    requireSecondFactor: values.REQUIRE_SECOND_FACTOR,
  }
}

/** Nobody may be held to what nobody can turn on. */
function factorProblems(values: FactorValues) {
  const { requireSecondFactor, secondFactor } = factorsOf(values)
  if (requireSecondFactor === "none" || secondFactor) return []
  return [
    "REQUIRE_SECOND_FACTOR: nobody can turn one on without FACTOR_SECRET and SECOND_FACTOR on",
  ]
}

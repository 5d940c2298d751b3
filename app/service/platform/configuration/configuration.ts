import * as z from "zod"

import type { MailSender } from "../mail/mail.ts"
import type { Env } from "./env.ts"
import { createKeys } from "./keys.ts"
import type { PagesSettings } from "./pages-settings.ts"
import { readProviders } from "./provider.ts"
import { relyingPartyOf } from "./relying-party.ts"
import { orderSecrets, signingSecrets } from "./secret.ts"
import { keyedValues, parsersOf } from "./settings.ts"

const fallbackUrl = "http://localhost:8787"

function unset({ input }: { input?: unknown }) {
  return input === undefined ? "is missing" : undefined
}

const Environment = z.discriminatedUnion("ENVIRONMENT", [
  z.object(parsersOf("temporary")),
  z.object(parsersOf("permanent")),
])

type Values = z.infer<typeof Environment>

/** Configuration of the service. Secrets are concealed, and AUTH_SECRET is used only in `keys`. */
export type Configuration = Extract<
  ReturnType<typeof readConfiguration>,
  { warnings: string[] }
>["configuration"]

/**
 * Reads the bindings once and lists all problems. Call it inside a handler: without
 * AUTH_SECRET it draws random bytes, which workerd forbids at module scope.
 */
export function readConfiguration(bound: Env) {
  const present: Record<string, unknown> = Object.fromEntries(
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
    problems.push(
      "PASSWORDS: no user can sign in without an identity provider; declare one, or set on",
    )
  }
  const trustedOrigins = values.AUTH_TRUSTED_ORIGIN ?? [...new Set([webUrl, url])]
  const passkeys = relyingPartyOf(values.PASSKEYS, trustedOrigins)
  if (passkeys === undefined && values.PASSKEYS !== "off") {
    problems.push("PASSKEYS: no trusted origin lies below it, so no user could use one; or set off")
  }
  const keepMail = values.KEEP_MAIL !== undefined
  if (values.MAIL_URL === undefined && !keepMail) {
    if (values.EMAIL_CODE) {
      problems.push("EMAIL_CODE: its emails need MAIL_URL; set that, or EMAIL_CODE to off")
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
      ...keyedValues(values),
      environment,
      permanent,
      keys: createKeys({ secrets, environment, verifyEmail }),
      /** Unix time (ms) at which another secret begins to sign or seal. The configuration is then read again. */
      rereadAt: Math.min(rereadAt ?? Infinity, factors.factorSecretFrom ?? Infinity),
      url,
      webUrl,
      /** Addresses of the programs beside the service on a developer's machine, by name. */
      localPages: environment === "local" ? (values.LOCAL_PAGES ?? {}) : {},
      /** Whether the service has pages of its own. */
      pages: values.PAGES !== undefined,
      /** The operator's name, color, links and languages. */
      look,
      siteName: look.name,
      /** Target of links in emails and of the payment provider: the front end, or the service's own pages. */
      siteUrl: values.PAGES === undefined ? webUrl : url,
      /** Parent domain of the session cookie. Undefined: the cookie is host-only. */
      cookieDomain: values.AUTH_COOKIE_DOMAIN,
      trustedOrigins,
      /** Undefined if passkeys cannot be used here. */
      passkeys,
      identityProviders: providers,
      /** Whether signing in requires a verified email address. */
      verifyEmail,
      ...factors,
      ...checksOf(values, environment),
      /** Whether replicas of the database may answer members' reads of their own data. */
      readReplication: values.READ_REPLICATION === "auto",
      /** Pages that an emailed link may lead to. */
      letterPages: [
        ...["", "/", ...(values.LETTER_PAGES ?? [])].map((page) => `${webUrl}${page}`),
        ...(values.PAGES === undefined ? [] : [`${url}/verify`]),
      ],
      mail: mailSender(values, webUrl),
      /** Whether emails are stored in the database instead of being sent; only for previews. */
      keepMail,
      payment: paymentAccount(values),
      smokeKey: values.SMOKE_KEY,
      /** Key with which a front end's server signs the addresses of its readers. */
      frontEndKey: values.FRONT_END_KEY,
      /** Undefined if this environment issues no tokens for other services. */
      tokens: values.TOKENS,
    },
  }
}

function mailSender(values: Values, webUrl: string): MailSender | undefined {
  if (values.MAIL_URL === undefined) return undefined
  return {
    url: values.MAIL_URL,
    from: values.MAIL_FROM ?? `no-reply@${new URL(webUrl).hostname}`,
    secret: values.MAIL_SECRET,
  }
}

function paymentAccount(values: Values) {
  const { PAYMENT_URL: url, PAYMENT_SECRET: key, PAYMENT_WEBHOOK_SECRET: webhookSecret } = values
  if (url === undefined || key === undefined || webhookSecret === undefined) return undefined
  return { url, secret: key, webhookSecret }
}

function paymentProblems(values: Values) {
  const names = ["PAYMENT_URL", "PAYMENT_SECRET", "PAYMENT_WEBHOOK_SECRET"] as const
  const missing = names.filter((name) => values[name] === undefined)
  if (missing.length === names.length) return []
  return missing.map((name) => `${name}: is missing, while other payment bindings are set`)
}

function domainProblems(url: string, domain: string | undefined) {
  const host = new URL(url).hostname
  if (domain === undefined || host === domain) return []
  // Browsers reject a cookie for a whole top-level domain as well.
  if (domain.includes(".") && host.endsWith(`.${domain}`)) return []
  return [`AUTH_COOKIE_DOMAIN: ${host} is not under ${domain}, so browsers would drop the cookie`]
}

/** Reports names that the authentication library reads itself, and that would change its behaviour. */
function reservedNames(names: string[]) {
  return names
    .filter((name) => name === "TEST" || name.startsWith("BETTER_AUTH_"))
    .map((name) => `${name}: must not be bound; the authentication library reads it by itself`)
}

/** Returns the external checks; each is undefined if it is off. */
function checksOf(values: Values, environment: string) {
  // Only a local service may send passwords and sign-ups to a URL from a variable.
  const sandbox = environment === "local" ? values.LOCAL_CHECKS : undefined
  const { TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET: key } = values
  const url = sandbox ?? "https://challenges.cloudflare.com"
  return {
    /** Origin of the list of leaked passwords; undefined if the check is off. */
    leaks:
      values.BREACHED_PASSWORDS === "refuse"
        ? (sandbox ?? "https://api.pwnedpasswords.com")
        : undefined,
    turnstile:
      siteKey === undefined || key === undefined ? undefined : { siteKey, secret: key, url },
  }
}

function checkProblems({ TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET: key }: Values) {
  return siteKey !== undefined && key === undefined
    ? ["TURNSTILE_SECRET: is missing, so no token of TURNSTILE_SITE_KEY can be checked"]
    : []
}

/** Returns the settings of second factors. */
function factorsOf(values: Values) {
  const { FACTOR_SECRET: current, FACTOR_SECRET_PREVIOUS: previous, SECOND_FACTOR: isOn } = values
  const from = values.FACTOR_SECRET_FROM
  const ordered = current && orderSecrets({ current, previous, from }, Date.now())
  return {
    /**
     * Secrets that encrypt the secrets of members' apps. The first one encrypts; the second one only decrypts. Empty
     * if members cannot have second factors.
     */
    factorSecrets: ordered?.secrets ?? [],
    /** Unix time (ms) at which the next secret starts to encrypt. Undefined if the newest one already does. */
    factorSecretFrom: ordered?.rereadAt,
    /** Whether members may turn a second factor on. Members who have one are asked for it in any case. */
    secondFactor: isOn && current !== undefined,
  }
}

/** Reports a required second factor that members cannot turn on. */
function factorProblems(values: Values) {
  if (values.REQUIRE_SECOND_FACTOR === "none" || factorsOf(values).secondFactor) return []
  return [
    "REQUIRE_SECOND_FACTOR: no member can turn one on without FACTOR_SECRET and SECOND_FACTOR on",
  ]
}

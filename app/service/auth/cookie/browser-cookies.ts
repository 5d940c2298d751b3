import * as z from "zod"

/** Seconds. Each day of use renews it. */
export const sessionLifetime = 7 * 24 * 60 * 60

type Scope = {
  environment: string
  permanent: boolean
  url: string
  cookieDomain: string | undefined
}

type Switches = {
  readReplication: boolean
  pages?: boolean | undefined
  emailCode?: boolean | undefined
}

type Cookie = {
  /** Siblings below the cookie domain get it; the others are the API's host's alone. */
  isShared?: true
  /** What the library signed, with one key for all that it signs: no value is of two kinds. */
  signed?: RegExp
  /** One for each sign-in with a provider that is under way, which its name holds. */
  isForEach?: true
  isOn?: (switches: Switches) => boolean
}

/** Every cookie that the service sets. What has no row here reaches nobody behind the entrance. */
const cookies = {
  session_token: { isShared: true, signed: /^\w{32}$/ },
  dont_remember: { isShared: true, signed: /^true$/ },
  /** What binds the session to the browser that has opened or proven it. */
  session_binding: {},
  /** The address which the browser last signed in with. */
  known_browser: {},
  /** The sign-up whose letter the browser waits for. */
  signed_up: {},
  oauth_state: { isForEach: true },
  /** What the browser's authenticator has to answer. */
  passkey_challenge: {},
  /** What the browser has asked for a code with. */
  sign_in_code: { isOn: ({ emailCode }) => emailCode === true },
  /** A sign-in that waits for the second factor. */
  sign_in_step: {},
  /** What spares the second factor for thirty days. */
  trusted_browser: {},
  /** The state of the database that the browser has seen. */
  bookmark: { isOn: ({ readReplication }) => readReplication },
  /** Of the pages: what a letter's link brought, so that no history keeps it. */
  link_token: { isOn: ({ pages }) => pages === true },
  /** Of the pages: an invitation's token, while somebody fills in the sign-up. */
  invitation: { isOn: ({ pages }) => pages === true },
  /** Of the pages: where the front end waits for whoever opens the letter in this browser. */
  return_page: { isOn: ({ pages }) => pages === true },
  /** Of the pages: what the next one says, once. What a query says, anybody may have written. */
  page_message: { isOn: ({ pages }) => pages === true },
  /** Of the pages: the language that somebody chose. */
  language: { isOn: ({ pages }) => pages === true },
} satisfies Record<string, Cookie>

/**
 * The prefix names the environment and the cookie's scope. Under one name, the cookie that production
 * shares with example.com would shadow that of staging.example.com, and a host-only cookie left in a
 * browser the shared one once AUTH_COOKIE_DOMAIN is set.
 */
export function cookieScope({ cookieDomain, environment, permanent, url }: Scope) {
  const scope = cookieDomain === undefined ? "-host" : ""
  return {
    secure: permanent || url.startsWith("https://"),
    prefix: `accounts-${environment}${scope}`,
  }
}

/** A sibling may set a cookie with `__Secure-` as well, but none with `__Host-`. */
export function cookieName(scope: Scope, kind: keyof typeof cookies) {
  const { secure, prefix } = cookieScope(scope)
  const { isShared, isForEach }: Cookie = cookies[kind]
  const guard = isShared && scope.cookieDomain !== undefined ? "__Secure-" : "__Host-"
  return `${secure ? guard : ""}${prefix}.${isForEach ? "*." : ""}${kind}`
}

/** By name, as a browser sends them; `*` stands for a part of its own. */
export function ownCookies(given: Scope & Switches): Map<string, Cookie> {
  const set = Object.entries<Cookie>(cookies).filter(([, { isOn }]) => isOn?.(given) ?? true)
  return new Map(
    set.map(([kind, cookie]) => [cookieName(given, kind as keyof typeof cookies), cookie]),
  )
}

/** Every cookie that the service sets, as a browser sees it: by name, its attributes. */
export function browserCookies(given: Scope & Switches): Record<string, string> {
  const { secure } = cookieScope(given)
  const ends = ["Path=/", "HttpOnly", ...(secure ? ["Secure"] : []), "SameSite=Lax"]
  const shared = given.cookieDomain === undefined ? ends : [`Domain=${given.cookieDomain}`, ...ends]
  return Object.fromEntries(
    [...ownCookies(given)].map(([name, { isShared }]) => [
      name,
      (isShared ? shared : ends).join("; "),
    ]),
  )
}

const day = 24 * 60 * 60 * 1000

/** Days after which a session ends, however much it is used: extensions stop within a day of it. */
export const SessionDays = z
  .int()
  .min(7, "must be 7 at least: a session that is not used lasts as long")
  .max(365, "must be at most 365")

type Ages = { createdAt: Date; expiresAt: Date; remembered: boolean }

/** Until when a session goes on that is used now (Unix time, ms). */
export function extendedUntil(ages: Ages, sessionDays: number, now: number) {
  const { createdAt, expiresAt, remembered } = ages
  if (!remembered) return expiresAt.getTime()
  const longest = Math.min(now + sessionLifetime * 1000, createdAt.getTime() + sessionDays * day)
  return Math.max(expiresAt.getTime(), longest)
}

/** Whether it is a day since it was extended, and can be. */
export function isDue(ages: Ages, sessionDays: number, now: number) {
  return extendedUntil(ages, sessionDays, now) - ages.expiresAt.getTime() >= day
}

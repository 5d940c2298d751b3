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
  /** Pattern of values that the library signed with its one key, so that no value fits two kinds. */
  signed?: RegExp
  /** A cookie for each pending sign-in with a provider; the name contains the provider. */
  isForEach?: true
  isOn?: (switches: Switches) => boolean
}

/** Every cookie that the service sets. Handlers receive no other cookie. */
const cookies = {
  session_token: { isShared: true, signed: /^\w{32}$/ },
  dont_remember: { isShared: true, signed: /^true$/ },
  /** Binds the session to the browser that created it or stepped it up. */
  session_binding: {},
  /** The address which the browser last signed in with. */
  known_browser: {},
  /** The sign-up whose email the browser waits for. */
  signed_up: {},
  oauth_state: { isForEach: true },
  /** The challenge for the browser's authenticator. */
  passkey_challenge: {},
  /** The browser that requested a sign-in code. */
  sign_in_code: { isOn: ({ emailCode }) => emailCode === true },
  /** A sign-in that waits for the second factor. */
  sign_in_step: {},
  /** Replaces the second factor for thirty days. */
  trusted_browser: {},
  /** The state of the database that the browser has seen. */
  bookmark: { isOn: ({ readReplication }) => readReplication },
  /** Pages: the token of an emailed link, so that it stays out of the browser's history. */
  link_token: { isOn: ({ pages }) => pages === true },
  /** Pages: the token of an invitation until the sign-up is submitted. */
  invitation: { isOn: ({ pages }) => pages === true },
  /** Pages: the front end's page that continues after the email is opened in this browser. */
  return_page: { isOn: ({ pages }) => pages === true },
  /**
   * Pages: a message that the next page shows once. It is not in the query, because anyone can write a query.
   */
  page_message: { isOn: ({ pages }) => pages === true },
  /** Pages: the selected language. */
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
export function ownCookies(environment: Scope & Switches): Map<string, Cookie> {
  const set = Object.entries<Cookie>(cookies).filter(([, { isOn }]) => isOn?.(environment) ?? true)
  return new Map(
    set.map(([kind, cookie]) => [cookieName(environment, kind as keyof typeof cookies), cookie]),
  )
}

/** Every cookie that the service sets, as a browser sees it: by name, its attributes. */
export function browserCookies(environment: Scope & Switches): Record<string, string> {
  const { secure } = cookieScope(environment)
  const ends = ["Path=/", "HttpOnly", ...(secure ? ["Secure"] : []), "SameSite=Lax"]
  const shared =
    environment.cookieDomain === undefined ? ends : [`Domain=${environment.cookieDomain}`, ...ends]
  return Object.fromEntries(
    [...ownCookies(environment)].map(([name, { isShared }]) => [
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

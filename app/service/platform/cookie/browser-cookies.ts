import * as z from "zod"

/** Seconds. Use extends a session at most once a day. */
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
  /** Sibling domains below the cookie domain receive it. Default: only the API's host does. */
  isShared?: true
  /** Pattern of values that the library signs. All kinds have one key, so no value may match two patterns. */
  signed?: RegExp
  /** Each pending sign-in with a provider has its own cookie, whose name contains the provider. */
  isForEach?: true
  isOn?: (switches: Switches) => boolean
}

/** Every cookie that the service sets. Handlers receive no other cookie. */
const cookies = {
  session_token: { isShared: true, signed: /^\w{32}$/ },
  dont_remember: { isShared: true, signed: /^true$/ },
  /** Binds the session to the browser that created it or stepped it up. */
  session_binding: {},
  /** The email address of this browser's last sign-in. */
  known_browser: {},
  /** The sign-up whose email this browser awaits. */
  signed_up: {},
  oauth_state: { isForEach: true },
  /** The challenge for the browser's authenticator. */
  passkey_challenge: {},
  /** The browser that requested a sign-in code. */
  sign_in_code: { isOn: ({ emailCode }) => emailCode === true },
  /** A sign-in that still needs its second factor. */
  sign_in_step: {},
  /** Replaces the second factor for thirty days. */
  trusted_browser: {},
  /** Bookmark of the database state that the browser has seen. */
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
 * The prefix names the environment and the cookie's scope. With one name, production's cookie for example.com would
 * shadow that of staging.example.com. An old host-only cookie would shadow the shared one after AUTH_COOKIE_DOMAIN is
 * set.
 */
export function cookieScope({ cookieDomain, environment, permanent, url }: Scope) {
  const scope = cookieDomain === undefined ? "-host" : ""
  return {
    secure: permanent || url.startsWith("https://"),
    prefix: `accounts-${environment}${scope}`,
  }
}

/** Returns a cookie's name. A sibling domain may set a cookie with `__Secure-` as well, but not with `__Host-`. */
export function cookieName(scope: Scope, kind: keyof typeof cookies) {
  const { secure, prefix } = cookieScope(scope)
  const { isShared, isForEach }: Cookie = cookies[kind]
  const guard = isShared && scope.cookieDomain !== undefined ? "__Secure-" : "__Host-"
  return `${secure ? guard : ""}${prefix}.${isForEach ? "*." : ""}${kind}`
}

/** Returns the cookies by name, as browsers send them; `*` stands for a variable part. */
export function ownCookies(environment: Scope & Switches): Map<string, Cookie> {
  const set = Object.entries<Cookie>(cookies).filter(([, { isOn }]) => isOn?.(environment) ?? true)
  return new Map(
    set.map(([kind, cookie]) => [cookieName(environment, kind as keyof typeof cookies), cookie]),
  )
}

/** Returns the attributes of every cookie that the service sets, by name. */
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

/** Days after which a session ends even if it is used. Extensions stop within a day before. */
export const SessionDays = z
  .int()
  .min(7, "must be 7 at least: a session that is not used lasts as long")
  .max(365, "must be at most 365")

type Ages = { createdAt: Date; expiresAt: Date; remembered: boolean }

/** Returns when a session ends that is used now (Unix time, ms). */
export function extendedUntil(ages: Ages, sessionDays: number, now: number) {
  const { createdAt, expiresAt, remembered } = ages
  if (!remembered) return expiresAt.getTime()
  const longest = Math.min(now + sessionLifetime * 1000, createdAt.getTime() + sessionDays * day)
  return Math.max(expiresAt.getTime(), longest)
}

/** Whether the session can be extended by at least a day. */
export function isDue(ages: Ages, sessionDays: number, now: number) {
  return extendedUntil(ages, sessionDays, now) - ages.expiresAt.getTime() >= day
}

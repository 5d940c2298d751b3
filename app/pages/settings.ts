import { parse, serialize } from "hono/utils/cookie"

import { cookieName } from "../service/platform/cookie/browser-cookies.ts"
import { readSigned, sign } from "../service/platform/cookie/cookie.ts"
import { isBound } from "../service/session/session-binding.ts"
import type { Services } from "../services.ts"

/** Facts of the service that pages have without a call of the API. */
export type Settings = ReturnType<typeof settingsOf>

/** The one place that reads the configuration for them. */
export function settingsOf({ configuration, sessions }: Services) {
  const { url, identityProviders, keys, localPages, passkeys, turnstile } = configuration
  return {
    /** Origin of the service, and so of its pages. */
    url,
    cookies: {
      link_token: cookieName(configuration, "link_token"),
      invitation: cookieName(configuration, "invitation"),
      return_page: cookieName(configuration, "return_page"),
      page_message: cookieName(configuration, "page_message"),
      language: cookieName(configuration, "language"),
    },
    /** Signs the message of the next page, so that no link or other host puts words into it. */
    signMessage: (text: string) => sign(text, keys.first("page_message")),
    /** Opens a signed message: empty where no key of the service signed it. */
    openMessage: (signed: string) => {
      const { value, isBy } = readSigned(signed)
      return keys.of("page_message").some(isBy) ? value : ""
    },
    /** Whether the session of a request is this browser's: a sibling may have planted its cookie. */
    isOwn: (headers: Headers) => isBound(configuration, headers, sessions.tokenOf(headers) ?? ""),
    /** Where the front end is. */
    webUrl: configuration.webUrl,
    /** Names, colours, links and languages that the operator configured. */
    look: configuration.look,
    trustedOrigins: configuration.trustedOrigins,
    environment: configuration.environment,
    signUp: configuration.signUp,
    verifyEmail: configuration.verifyEmail,
    passwords: configuration.passwords,
    passkeys: passkeys?.origins.includes(url) === true,
    emailCode: configuration.emailCode,
    secondFactor: configuration.secondFactor,
    providers: identityProviders.map(({ id }) => id),
    /** Presets by provider id. */
    presets: Object.fromEntries(identityProviders.map(({ id, preset }) => [id, preset])),
    turnstile: turnstile && { siteKey: turnstile.siteKey, url: turnstile.url },
    localPages: Object.entries(localPages),
  }
}

export type PageCookie = keyof Settings["cookies"]

/** Seconds. */
const lifetimes = {
  link_token: 10 * 60,
  invitation: 60 * 60,
  // As long as the link of a verification.
  return_page: 24 * 60 * 60,
  page_message: 60,
  language: 365 * 24 * 60 * 60,
}

export function readPageCookie(header: string, settings: Settings, cookie: PageCookie) {
  const name = settings.cookies[cookie]
  const value = parse(header, name)[name]
  return cookie === "page_message" && value ? settings.openMessage(value) : value
}

/** An empty value takes the cookie away. */
export function writePageCookie(settings: Settings, cookie: PageCookie, value: string) {
  const { cookies, url, signMessage } = settings
  const isSigned = cookie === "page_message" && value !== ""
  return serialize(cookies[cookie], isSigned ? signMessage(value) : value, {
    maxAge: value === "" ? 0 : lifetimes[cookie],
    path: "/",
    httpOnly: true,
    secure: url.startsWith("https:"),
    sameSite: "Lax",
  })
}

/** The header of a request once an answer has set a cookie. */
export function withCookie(header: string, line: string) {
  const [pair = ""] = line.split(";")
  const begins = pair.slice(0, pair.indexOf("=") + 1)
  const isGone = /;\s*max-age=0\b/i.test(line)
  const pairs = header.split("; ").filter((cookie) => cookie !== "" && !cookie.startsWith(begins))
  return [...pairs, ...(isGone ? [] : [pair])].join("; ")
}

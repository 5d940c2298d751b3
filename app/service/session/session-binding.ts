import { timingSafeEqual } from "node:crypto"

import { deleteSessionCookie, setSessionCookie } from "better-auth/cookies"

import type { Configuration } from "../platform/configuration/configuration.ts"
import { cookieName } from "../platform/cookie/browser-cookies.ts"
import { hmacOf, readCookie } from "../platform/cookie/cookie.ts"
import { type EndpointContext, withHostCookies } from "../platform/cookie/host-cookie.ts"

/* A sibling below the cookie domain may plant the cookie of a session, and gets it, but not the one that binds it. */

const kind = "session_binding" as const
const day = 24 * 60 * 60

type BindingSettings = Pick<Configuration, "keys" | "sessionDays">
type OpenedSession = { token: string; remembered: boolean }

function setBinding(context: EndpointContext, value: string, maxAge: number | undefined) {
  const { name, attributes } = withHostCookies(context).context.createAuthCookie(kind)
  const { maxAge: _, ...rest } = attributes
  context.setCookie(name, value, { ...rest, ...(maxAge !== undefined && { maxAge }) })
}

/** Binds a session to the browser that has just opened or proven it: never to one that merely has its cookie. */
export function bindSession(
  context: EndpointContext,
  { keys, sessionDays }: BindingSettings,
  { token, remembered }: OpenedSession,
) {
  const value = hmacOf(token, keys.first(kind)).toString("base64url")
  setBinding(context, value, remembered ? sessionDays * day : undefined)
}

/** Signs the browser in to a session that was opened for it. */
export async function giveSession(
  context: EndpointContext,
  configuration: BindingSettings,
  opened: Parameters<typeof setSessionCookie>[1],
  forgets = false,
) {
  await setSessionCookie(context, opened, forgets)
  bindSession(context, configuration, { token: opened.session.token, remembered: !forgets })
}

export function takeSession(context: EndpointContext) {
  deleteSessionCookie(context)
  setBinding(context, "", 0)
}

/** Whether the browser has opened or proven the session with the token. */
export function isBound(configuration: Configuration, headers: Headers | undefined, token: string) {
  const value = headers && readCookie(headers, cookieName(configuration, kind))
  const presented = Buffer.from(value ?? "", "base64url")
  return configuration.keys.of(kind).some((key) => {
    const hmac = hmacOf(token, key)
    return hmac.length === presented.length && timingSafeEqual(hmac, presented)
  })
}

import { timingSafeEqual } from "node:crypto"

import { deleteSessionCookie, setSessionCookie } from "better-auth/cookies"

import type { Configuration } from "../platform/configuration/configuration.ts"
import { cookieName } from "../platform/cookie/browser-cookies.ts"
import { hmacOf, readCookie } from "../platform/cookie/cookie.ts"
import { type EndpointContext, withHostCookies } from "../platform/cookie/host-cookie.ts"

/* A sibling domain can read and plant the session cookie, but not the host-only binding cookie. */

const kind = "session_binding" as const
const day = 24 * 60 * 60

type BindingSettings = Pick<Configuration, "keys" | "sessionDays">
type OpenedSession = { token: string; remembered: boolean }

function setBinding(context: EndpointContext, value: string, maxAge: number | undefined) {
  const { name, attributes } = withHostCookies(context).context.createAuthCookie(kind)
  const { maxAge: _, ...rest } = attributes
  context.setCookie(name, value, { ...rest, ...(maxAge !== undefined && { maxAge }) })
}

/** Binds a session to the browser that just opened it or stepped it up. The session cookie is not enough. */
export function bindSession(
  context: EndpointContext,
  { keys, sessionDays }: BindingSettings,
  { token, remembered }: OpenedSession,
) {
  const value = hmacOf(token, keys.first(kind)).toString("base64url")
  setBinding(context, value, remembered ? sessionDays * day : undefined)
}

/** Sets the session cookie and the binding cookie. */
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

/** Whether this browser opened the session or stepped it up. */
export function isBound(configuration: Configuration, headers: Headers | undefined, token: string) {
  const value = headers && readCookie(headers, cookieName(configuration, kind))
  const presented = Buffer.from(value ?? "", "base64url")
  return configuration.keys.of(kind).some((key) => {
    const hmac = hmacOf(token, key)
    return hmac.length === presented.length && timingSafeEqual(hmac, presented)
  })
}

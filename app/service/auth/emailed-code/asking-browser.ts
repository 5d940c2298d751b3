import * as z from "zod"

import { type EndpointContext, withHostCookies } from "../cookie/host-cookie.ts"
import { type Keys, kinds } from "../keys.ts"

const kind = "sign_in_code"

const Asking = z.object({ nonce: z.string() })

export function createNonce() {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")
}

/** Lets the browser alone that asks for a code use it, and none that it has asked for before. */
export async function bindBrowser(context: EndpointContext, keys: Keys, nonce: string) {
  const { name, attributes } = cookieOf(context)
  const value = await keys.seal(kind, { nonce })
  context.setCookie(name, value, { ...attributes, maxAge: kinds[kind] })
}

/** What the browser has asked with last; undefined if it has not, or ten minutes ago. */
export async function askingBrowser(context: EndpointContext, keys: Keys) {
  const value = context.getCookie(cookieOf(context).name)
  const opened = value ? await keys.open(kind, value) : undefined
  if (opened === undefined || opened.isExpired) return undefined
  return Asking.safeParse(opened.claims).data?.nonce
}

function cookieOf(context: EndpointContext) {
  return withHostCookies(context).context.createAuthCookie(kind)
}

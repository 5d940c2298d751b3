import type { handleOAuthUserInfo } from "better-auth/oauth2"
import type { JWTPayload } from "jose"
import type * as z from "zod"

import { type Keys, kinds } from "../configuration/keys.ts"

export type EndpointContext = Parameters<typeof handleOAuthUserInfo>[0]

/**
 * Returns a context that creates host-only cookies. With a shared domain, a sibling domain could plant a state cookie,
 * and browsers would send it here.
 */
export function withHostCookies(original: EndpointContext): EndpointContext {
  const createAuthCookie: typeof original.context.createAuthCookie = (name, overrides) => {
    const cookie = original.context.createAuthCookie(name, overrides)
    const { domain: _, ...attributes } = cookie.attributes
    return { name: cookie.name.replace(/^__Secure-/, "__Host-"), attributes }
  }
  return { ...original, context: { ...original.context, createAuthCookie } }
}

type Kind =
  | "oauth_state"
  | "passkey_challenge"
  | "sign_in_code"
  | "sign_in_step"
  | "trusted_browser"

/**
 * Returns an encrypted host-only cookie that expires with the lifetime of its kind.
 * @param prefix of the cookie's name, if a browser can have several of the kind
 */
export function sealedCookie<Claims extends z.ZodType<JWTPayload>>(
  kind: Kind,
  claims: Claims,
  prefix = "",
) {
  const cookieOf = (context: EndpointContext) =>
    withHostCookies(context).context.createAuthCookie(prefix + kind)
  const set = (context: EndpointContext, value: string, maxAge: number) => {
    const { name, attributes } = cookieOf(context)
    context.setCookie(name, value, { ...attributes, maxAge })
  }
  const valueOf = (context: EndpointContext) => context.getCookie(cookieOf(context).name)
  return {
    /** Whether the browser sent the cookie, even if it is unreadable. */
    isSent: (context: EndpointContext) => valueOf(context) !== null,
    read: async (context: EndpointContext, keys: Keys) => {
      const value = valueOf(context)
      const opened = value ? await keys.open(kind, value) : undefined
      return opened?.isExpired === false ? claims.safeParse(opened.claims).data : undefined
    },
    write: async (context: EndpointContext, keys: Keys, content: z.infer<Claims>) =>
      set(context, await keys.seal(kind, content), kinds[kind]),
    forget: (context: EndpointContext) => set(context, "", 0),
  }
}

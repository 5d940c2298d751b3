import type { handleOAuthUserInfo } from "better-auth/oauth2"

export type EndpointContext = Parameters<typeof handleOAuthUserInfo>[0]

/**
 * A context whose cookies are for this host alone. Only the API reads its state cookie: under a
 * shared domain, a sibling could plant its own, and browsers would send it here.
 */
export function withHostCookies(given: EndpointContext): EndpointContext {
  const createAuthCookie: typeof given.context.createAuthCookie = (name, overrides) => {
    const cookie = given.context.createAuthCookie(name, overrides)
    const { domain: _, ...attributes } = cookie.attributes
    return { name: cookie.name.replace(/^__Secure-/, "__Host-"), attributes }
  }
  return { ...given, context: { ...given.context, createAuthCookie } }
}

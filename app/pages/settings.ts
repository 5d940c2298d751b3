import { cookieName } from "../service/auth/cookie/browser-cookies.ts"
import type { Services } from "../services.ts"

/** What the pages know of their service without asking it. */
export type Settings = ReturnType<typeof settingsOf>

/** The one place that reads the configuration for them. */
export function settingsOf({ configuration }: Services) {
  const { url, webUrl, trustedOrigins, environment, identityProviders, localPages } = configuration
  const {
    signUp,
    passwords,
    emailCode,
    passkeys,
    secondFactor,
    look,
    turnstile: widget,
  } = configuration
  const turnstile = widget && { siteKey: widget.siteKey, url: widget.url }
  return {
    /** Origin of the service, and so of its pages. */
    url,
    cookies: {
      link_token: cookieName(configuration, "link_token"),
      invitation: cookieName(configuration, "invitation"),
      return_page: cookieName(configuration, "return_page"),
      language: cookieName(configuration, "language"),
    },
    /** Where the front end is. */
    webUrl,
    /** What the operator chose of names, colours, links and languages. */
    look,
    trustedOrigins,
    environment,
    signUp,
    passwords,
    passkeys: passkeys?.origins.includes(url) === true,
    emailCode,
    secondFactor,
    providers: identityProviders.map(({ id }) => id),
    turnstile,
    localPages: Object.entries(localPages),
  }
}

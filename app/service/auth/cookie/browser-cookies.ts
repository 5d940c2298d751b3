/** Seconds. Each day of use renews it. */
export const sessionLifetime = 7 * 24 * 60 * 60

/**
 * Seconds at most. For `answers` a session that was ended elsewhere still shows: no longer than an access
 * token lives as a rule. For `grace` also a database that does not answer is bridged: no longer than the
 * link of a reset is valid, since in all that time nobody can end a session at all.
 */
export const snapshotLimits = { answers: 5 * 60, grace: 60 * 60 }

type Scope = {
  environment: string
  permanent: boolean
  url: string
  cookieDomain: string | undefined
}

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

/** Names the state of the database that a browser has seen, with read replication. */
export function bookmarkCookie(scope: Scope) {
  const { secure, prefix } = cookieScope(scope)
  return `${secure ? "__Host-" : ""}${prefix}.bookmark`
}

/** Holds what `get-session` last answered, with `accounts:sessionCache`. */
export function snapshotCookie(scope: Scope) {
  const { secure, prefix } = cookieScope(scope)
  return `${secure ? "__Host-" : ""}${prefix}.session_snapshot`
}

/** Every cookie that the service sets, as a browser sees it: by name, its attributes. */
export function browserCookies(
  scope: Scope & { readReplication: boolean; sessionCache?: number | undefined },
) {
  const { secure, prefix } = cookieScope(scope)
  const shared = scope.cookieDomain === undefined ? [] : [`Domain=${scope.cookieDomain}`]
  const ends = ["Path=/", "HttpOnly", ...(secure ? ["Secure"] : []), "SameSite=Lax"]
  const ofHost = secure ? "__Host-" : ""
  const ofDomain = secure && scope.cookieDomain !== undefined ? "__Secure-" : ofHost
  const cookies: Record<string, string> = {
    [`${ofDomain}${prefix}.session_token`]: [...shared, ...ends].join("; "),
    [`${ofDomain}${prefix}.dont_remember`]: [...shared, ...ends].join("; "),
    [`${ofHost}${prefix}.known_browser`]: ends.join("; "),
    [`${ofHost}${prefix}.signed_up`]: ends.join("; "),
    // One for each sign-in with a provider that is under way.
    [`${ofHost}${prefix}.*.oauth_state`]: ends.join("; "),
    ...(scope.readReplication && { [bookmarkCookie(scope)]: ends.join("; ") }),
    ...(scope.sessionCache && { [snapshotCookie(scope)]: ends.join("; ") }),
  }
  return cookies
}

/** Whom passkeys are made for: they work on every origin whose host is the id or lies below it. */
export type RelyingParty = { rpId: string; origins: string[] }

/**
 * The environment's, or undefined where nobody can use one: they are off, or no trusted origin lies below the
 * id. The id is what was declared, else what the session's cookie is shared below, else the API's host.
 */
export function relyingPartyOf(
  declared: string | undefined,
  environment: { cookieDomain: string | undefined; url: string; trustedOrigins: string[] },
): RelyingParty | undefined {
  if (declared === "off") return undefined
  const { cookieDomain, url, trustedOrigins } = environment
  const rpId = declared ?? cookieDomain ?? new URL(url).hostname
  const origins = trustedOrigins.filter((origin) => mayUse(origin, rpId))
  return origins.length === 0 ? undefined : { rpId, origins }
}

/** Whether browsers let pages of the origin use passkeys of the id; without TLS on this machine alone. */
export function mayUse(origin: string, rpId: string) {
  const { hostname, protocol } = new URL(origin)
  const isBelow = hostname === rpId || hostname.endsWith(`.${rpId}`)
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost")
  return isBelow && (protocol === "https:" || isLocal)
}

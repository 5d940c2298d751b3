/** Whom passkeys are made for: they work on every origin whose host is the id or lies below it. */
export type RelyingParty = { rpId: string; origins: string[] }

/** Undefined where nobody can use a passkey: they are off, or no trusted origin lies below the id. */
export function relyingPartyOf(rpId: string, trustedOrigins: string[]): RelyingParty | undefined {
  if (rpId === "off") return undefined
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

/** Relying party of passkeys. They work on every origin whose host is the id or below it. */
export type RelyingParty = { rpId: string; origins: string[] }

/** Returns undefined if passkeys are off, or if no trusted origin is below the id. */
export function relyingPartyOf(rpId: string, trustedOrigins: string[]): RelyingParty | undefined {
  if (rpId === "off") return undefined
  const origins = trustedOrigins.filter((origin) => mayUse(origin, rpId))
  return origins.length === 0 ? undefined : { rpId, origins }
}

/** Whether browsers let the origin use passkeys of the id. Only local origins may do so without TLS. */
export function mayUse(origin: string, rpId: string) {
  const { hostname, protocol } = new URL(origin)
  const isBelow = hostname === rpId || hostname.endsWith(`.${rpId}`)
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost")
  return isBelow && (protocol === "https:" || isLocal)
}

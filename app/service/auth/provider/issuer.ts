import type { IdentityProvider } from "./provider.ts"

/**
 * Whether an issuer is the provider's. Where tenants share the provider, as at Microsoft, an issuer
 * contains a tenant's id.
 * @param tid the id_token's claim of that name, which must then agree
 */
export function isIssuerOf(
  { issuer, issuerAlias, tenants }: IdentityProvider,
  candidate: string,
  tid?: unknown,
) {
  const [before = "", after] = issuer.split("{tenantid}")
  if (after === undefined) return candidate === issuer || candidate === issuerAlias
  const tenant = candidate.slice(before.length, candidate.length - after.length)
  if (candidate !== `${before}${tenant}${after}` || !/^[0-9a-f-]{36}$/.test(tenant)) return false
  return (tid === undefined || tid === tenant) && (tenants?.includes(tenant) ?? true)
}

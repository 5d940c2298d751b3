import type { IdentityProvider } from "./provider.ts"

/**
 * Whether an issuer is the provider's. Where tenants share the provider, as at Microsoft, the issuer
 * of a token contains the tenant that its claim `tid` names.
 */
export function isIssuerOf(
  { issuer, issuerAlias, tenants }: IdentityProvider,
  named: string,
  tenant?: unknown,
) {
  if (!issuer.includes("{tenantid}")) return named === issuer || named === issuerAlias
  if (typeof tenant !== "string" || named !== issuer.replace("{tenantid}", tenant)) return false
  return tenants === undefined || tenants.includes(tenant)
}

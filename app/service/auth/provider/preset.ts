import { isLoopback } from "../../http/loopback.ts"
import type { ProviderDeclaration } from "../provider-declaration.ts"

/** How a provider behaves. */
export type Behaviour = {
  /** What its metadata name; `{tenantid}` stands for the tenant of the user. */
  issuer: string
  /** Where its metadata are, but for the path that OpenID Connect Discovery adds. */
  metadata: string
  /** What its tokens may name instead. */
  issuerAlias?: string
  scopes: string[]
  /** Domains of the e-mail addresses that it is believed about; `*`: every one. */
  emailDomains: string[]
  /** Tenants whose users may sign in; undefined: every one. */
  tenants?: string[] | undefined
  /** Present for Apple alone, whose client secret is signed with this key. */
  apple?: { teamId: string; keyId: string }
  /**
   * Whether `email` is no more than a text that the tenant's administrators chose: then nothing but
   * `xms_edov`, or a tenant that owns the domain, vouches for it.
   */
  hasUnverifiedEmails: boolean
  /** Whether the claim `hd` says about which addresses it is the authority. */
  namesHostedDomain: boolean
}

const google = "https://accounts.google.com"
const microsoft = "https://login.microsoftonline.com"

/** The tenant of personal Microsoft accounts. */
const consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

/** The behaviour of a declared provider, with the quirks that providers of its kind document. */
export function behaviourOf(declared: ProviderDeclaration): Behaviour {
  const basis = plain(issuerOf(declared), declared)
  if (declared.preset === "google") {
    // https://developers.google.com/identity/openid-connect/openid-connect#validatinganidtoken
    return { ...basis, issuerAlias: "accounts.google.com" }
  }
  if (declared.preset === "apple") {
    const { teamId, keyId, scopes = ["openid", "email", "name"] } = declared
    return { ...basis, scopes, apple: { teamId, keyId } }
  }
  if (declared.preset === "microsoft") {
    const { tenant, tenants } = declared
    const metadata = `${microsoft}/${tenant}/v2.0`
    return { ...basis, metadata, tenants, hasUnverifiedEmails: true }
  }
  return basis
}

function plain(issuer: string, { preset, scopes, emailDomains }: ProviderDeclaration): Behaviour {
  const vouchesForAll = preset === "google" || preset === "apple" || preset === "microsoft"
  return {
    issuer,
    metadata: issuer,
    scopes: scopes ?? ["openid", "email", "profile"],
    emailDomains: emailDomains ?? (vouchesForAll ? ["*"] : ownDomains(issuer)),
    hasUnverifiedEmails: false,
    namesHostedDomain: issuer === google,
  }
}

function issuerOf(declared: ProviderDeclaration) {
  if (declared.preset === "google") return google
  if (declared.preset === "apple") return "https://appleid.apple.com"
  if (declared.preset === "microsoft") return `${microsoft}/${ownerOf(declared.tenant)}/v2.0`
  if (declared.preset === "cognito") {
    return `https://cognito-idp.${declared.region}.amazonaws.com/${declared.userPoolId}`
  }
  if (declared.preset === "keycloak") {
    return `${declared.url.replace(/\/$/, "")}/realms/${encodeURIComponent(declared.realm)}`
  }
  return declared.issuer
}

/** The tenant that Microsoft's issuer names. */
function ownerOf(tenant: string) {
  if (tenant === "consumers") return consumers
  return tenant === "common" || tenant === "organizations" ? "{tenantid}" : tenant
}

/** The host of an issuer and the domains above it: id.example.com vouches for ada@example.com. */
function ownDomains(issuer: string) {
  if (isLoopback(issuer)) return ["*"]
  const labels = new URL(issuer).hostname.split(".")
  const parents = labels.map((_, index) => labels.slice(index).join("."))
  return parents.filter((name) => name.includes("."))
}

import * as z from "zod"

import { isSmokeAddress } from "../../guard/smoke.ts"
import {
  claimNames,
  type Fields,
  type IdentityProvider,
} from "../../platform/configuration/provider.ts"
import { Email } from "../../platform/mail/email-address.ts"
import { Image, Name, unprintable } from "../../session/profile.ts"
import type { SignInError } from "./sign-in-error.ts"

/** Apple and Cognito's userinfo endpoint send a string, Microsoft may send a number. */
const Flag = z
  .unknown()
  .transform((value) => value === true || value === "true" || value === 1 || value === "1")

const Text = z.string().optional().catch(undefined)

/** A provider's claims about a user. Only the subject is required; the rest is checked where it is used. */
export const Claims = z.object({
  /** At most as long as in OpenID Connect Core, section 2. */
  sub: z.union([z.string(), z.int().transform(String)]).pipe(z.string().min(1).max(255)),
  email: Email.optional().catch(undefined),
  email_verified: Flag.optional(),
  /** Google: the domain of the organization that manages the account. */
  hd: Text,
  /** Microsoft: whether the owner of the address's domain has verified the address. */
  xms_edov: Flag.optional(),
  name: Text,
  given_name: Text,
  family_name: Text,
  preferred_username: Text,
  picture: Text,
  /** Unix time (s) when the user signed in at the provider, possibly long before this sign-in. */
  auth_time: z.number().nonnegative().optional().catch(0),
})

export type Claims = z.infer<typeof Claims>

const decoration = ["name", "given_name", "family_name", "preferred_username", "picture"] as const

/** Completes id_token claims that have no verified address with the userinfo endpoint's claims. */
export function addUserinfo(claims: Claims, userinfo: Claims): Claims {
  const { email = userinfo.email } = claims
  // Another address's verification says nothing about this address.
  const email_verified = email === userinfo.email ? userinfo.email_verified : undefined
  const merged = { ...claims, email, email_verified, xms_edov: undefined }
  for (const name of decoration) merged[name] ??= userinfo[name]
  return merged
}

const Addresses = z.array(z.object({ email: z.string(), primary: Flag, verified: Flag }))

const Members = z.record(z.string(), z.unknown()).catch({})

/**
 * Reads the claims from a provider's own fields.
 * @param emails GitHub's list of addresses
 */
export function claimsOfFields(fields: Fields, user: unknown, emails: unknown): Claims {
  const primary = Addresses.safeParse(emails).data?.find((address) => address.primary)
  const root: unknown = { ...Members.parse(user), primary }
  const at = (path: string | true = "") =>
    path === true || path.split(".").reduce((value, key) => Members.parse(value)[key], root)
  const paths: Record<string, string | true | undefined> = fields
  const claims = Object.entries(claimNames).map(([field, claim]) => [claim, at(paths[field])])
  return Claims.parse(Object.fromEntries(claims))
}

/**
 * Returns why the provider is not trusted for the address, or undefined if it is. A user who can make the provider
 * name any address could take over, or squat, another user's account.
 */
function doubtOf(provider: IdentityProvider, claims: Claims): SignInError | undefined {
  const { emailDomains, hasUnverifiedEmails, trustUnverifiedEmails, issuer } = provider
  const { email, email_verified: isVerified, xms_edov: isOfDomain } = claims
  if (email === undefined) return "email_not_found"
  if (isSmokeAddress(email)) return "email_not_verified"
  const isListed = emailDomains.includes(domainOf(email))
  const isTrusted = isListed || emailDomains.includes("*")
  // Administrators of a dedicated tenant are trusted for the listed domains.
  const ownsDomain = isListed && !issuer.includes("{tenantid}")
  const isVouchedFor = hasUnverifiedEmails ? isOfDomain === true || ownsDomain : isVerified === true
  if (!isVouchedFor && !(trustUnverifiedEmails && isTrusted)) return "email_not_verified"
  return isTrusted ? undefined : "email_not_trusted"
}

function domainOf(email: string) {
  return email.slice(email.lastIndexOf("@") + 1)
}

/**
 * Returns the profile that this service accepts, without an address if that is in doubt. A provider with authority
 * over the address may enter an existing account. Google verified other addresses only once, and their owners may
 * differ now: https://developers.google.com/identity/gsi/web/guides/verify-google-id-token
 * @param formName name from the provider's form post
 */
export function profileOf(provider: IdentityProvider, claims: Claims, formName?: string) {
  const { authority } = provider
  const doubt = doubtOf(provider, claims)
  const email = doubt === undefined ? (claims.email ?? "") : ""
  const domain = domainOf(email)
  const isHosted = domain === "gmail.com" || claims.hd?.toLowerCase() === domain
  const parts = [claims.given_name, claims.family_name].filter((part) => part !== undefined)
  const local = email.replace(/@.*/, "")
  const names = [claims.name, parts.join(" "), formName, claims.preferred_username, local]
  const name = names.map(printable).find((text) => Name.safeParse(text).success) ?? "user"
  return {
    doubt,
    isAuthority: authority === "hosted" ? isHosted : authority !== "none",
    profile: { email, name, image: Image.safeParse(claims.picture).data ?? null },
  }
}

/** Removes characters that `Name` rejects. It keeps the name, which a provider may send only once. */
function printable(name = "") {
  const visible = name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").replaceAll(unprintable, "")
  return Array.from(visible.trim()).slice(0, 50).join("")
}

import * as z from "zod"

import { Email } from "../email-address.ts"
import { Image, Name } from "../sign-up/new-user.ts"
import { isSmokeAddress } from "../smoke.ts"
import type { IdentityProvider } from "./provider.ts"
import type { SignInError } from "./sign-in-error.ts"

/** Apple and Cognito's userinfo endpoint send the word, Microsoft may send the number. */
const Flag = z
  .unknown()
  .transform((value) => value === true || value === "true" || value === 1 || value === "1")

/** What a provider says of a user. Only the subject must be there: the rest is checked where it is used. */
export const Claims = z.object({
  /** At most as long as OpenID Connect Core, section 2, has it. */
  sub: z.string().min(1).max(255),
  email: Email.optional().catch(undefined),
  email_verified: Flag.optional(),
  /** Google's: the domain of the organization that manages the account. */
  hd: z.string().optional().catch(undefined),
  /** Microsoft's: whether the owner of the address's domain has verified it. */
  xms_edov: Flag.optional(),
  name: z.string().optional().catch(undefined),
  preferred_username: z.string().optional().catch(undefined),
  picture: z.string().optional().catch(undefined),
  /** Seconds: when the user has shown there who they are, which may be long before they came here. */
  auth_time: z.number().nonnegative().optional().catch(0),
})

export type Claims = z.infer<typeof Claims>

/** Adds what the userinfo endpoint says to the claims of the id_token, which come first. */
export function addUserinfo(claims: Claims, more: Claims): Claims {
  // Another address's verification says nothing about this one.
  const isSame = claims.email === undefined || claims.email === more.email
  const verified = claims.email === undefined ? undefined : claims.email_verified
  return {
    ...claims,
    email: claims.email ?? more.email,
    email_verified: verified ?? (isSame ? more.email_verified : undefined),
    xms_edov: claims.email === undefined ? undefined : claims.xms_edov,
    name: claims.name ?? more.name,
    preferred_username: claims.preferred_username ?? more.preferred_username,
    picture: claims.picture ?? more.picture,
  }
}

/**
 * Why the provider is not believed about the address, if it is not: somebody who could make it name
 * any address could take over, or squat, another's account.
 */
export function doubtOf(
  { emailDomains, hasUnverifiedEmails, issuer }: IdentityProvider,
  email: string,
  claims: Claims,
): SignInError | undefined {
  const domain = domainOf(email)
  if (isSmokeAddress(email)) return "email_not_verified"
  const isListed = emailDomains.includes(domain)
  // The administrators of a tenant of one's own are believed about the domains that are listed.
  const ownsDomain = isListed && !issuer.includes("{tenantid}")
  const isVerified = hasUnverifiedEmails
    ? claims.xms_edov === true || ownsDomain
    : claims.email_verified === true
  if (!isVerified) return "email_not_verified"
  return isListed || emailDomains.includes("*") ? undefined : "email_not_trusted"
}

/**
 * Whether the provider is the authority on the address, and so may open an account that exists. Google
 * has verified others once, and they may have changed hands.
 * https://developers.google.com/identity/gsi/web/guides/verify-google-id-token
 */
export function isAuthority(
  { namesHostedDomain }: IdentityProvider,
  email: string,
  { hd }: Claims,
) {
  const domain = domainOf(email)
  return !namesHostedDomain || domain === "gmail.com" || hd?.toLowerCase() === domain
}

function domainOf(email: string) {
  return email.slice(email.lastIndexOf("@") + 1)
}

/** @param given the name that the provider's form had, where its token has none */
export function profileOf(claims: Claims, email: string, given: string | undefined) {
  const names = [claims.name, given, claims.preferred_username, email.replace(/@.*/, "")]
  const name = names
    .map((candidate) => Name.safeParse(printable(candidate ?? "")).data)
    .find((candidate) => candidate !== undefined)
  const image = Image.safeParse(claims.picture).data ?? null
  return { email, name: name ?? "user", image }
}

function printable(name: string) {
  return Array.from(name.replaceAll(/\p{Cc}+/gu, " ").trim())
    .slice(0, 50)
    .join("")
}

import { SignJWT } from "jose"

import type { IdentityProvider } from "./provider.ts"

/**
 * The provider's client secret as the token endpoint takes it. Apple's is a token that lives for a
 * short time, signed with the key of the developer's team.
 * https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret
 */
export async function clientSecretOf({ clientSecret, clientId, issuer, apple }: IdentityProvider) {
  if (clientSecret === undefined || apple === undefined) return clientSecret?.reveal()
  return new SignJWT()
    .setProtectedHeader({ alg: "ES256", kid: apple.keyId })
    .setIssuer(apple.teamId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(await importKey(clientSecret.reveal()))
}

/** @param pem PKCS #8, the content of Apple's .p8 file */
async function importKey(pem: string) {
  const base64 = pem.replaceAll(/-----[A-Z ]+-----|\s/g, "")
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const algorithm = { name: "ECDSA", namedCurve: "P-256" }
  return crypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"])
}

import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server"
import { cose, decodeCredentialPublicKey } from "@simplewebauthn/server/helpers"

import type { RelyingParty } from "../../platform/configuration/relying-party.ts"
import type { Assertion, Attestation } from "./credential.ts"

/*
 * The library is larger than all other lazily loaded code, so this is a separate module: load it only with `import()`.
 */

type Asked = RelyingParty & { challenge: string }

const clientExtensionResults = {}

/**
 * Returns the new credential, or undefined if its user was not verified, or if it was not created here for this
 * challenge.
 */
export async function verifyAttestation(
  attestation: Attestation,
  { algorithms, ...expected }: Asked & { algorithms: number[] },
) {
  if (isEmbedded(attestation.response)) return undefined
  const { clientDataJSON, attestationObject } = attestation.response
  const response = { clientDataJSON, attestationObject }
  const verified = await unlessRefused(() =>
    verifyRegistrationResponse({
      ...expectedOf(expected),
      response: { ...attestation, response, clientExtensionResults },
      supportedAlgorithmIDs: algorithms,
    }),
  )
  if (!verified?.verified) return undefined
  const { credential, credentialBackedUp } = verified.registrationInfo
  const algorithm = Number(decodeCredentialPublicKey(credential.publicKey).get(cose.COSEKEYS.alg))
  return { ...credential, algorithm, backedUp: credentialBackedUp }
}

type Stored = { credentialId: string; publicKey: string; count: number }

/** Returns the authenticator's counter and state, or undefined unless the stored key signed this challenge here. */
export async function verifyAssertion(assertion: Assertion, expected: Asked, stored: Stored) {
  if (isEmbedded(assertion.response)) return undefined
  const { credentialId, publicKey, count } = stored
  const verified = await unlessRefused(() =>
    verifyAuthenticationResponse({
      ...expectedOf(expected),
      response: { ...assertion, clientExtensionResults },
      credential: {
        id: credentialId,
        publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")),
        counter: count,
      },
    }),
  )
  return verified?.verified ? verified.authenticationInfo : undefined
}

function expectedOf({ challenge, rpId, origins }: Asked) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: origins,
    expectedRPID: rpId,
    requireUserVerification: true,
  }
}

/** Whether the page was in another site's frame. The library accepts that if the browser does not name the site. */
function isEmbedded({ clientDataJSON }: { clientDataJSON: string }) {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString())
    return Object(data).crossOrigin === true || "topOrigin" in Object(data)
  } catch {
    return true
  }
}

/** The library throws for an invalid response, which is the sender's error. */
async function unlessRefused<Found>(verify: () => Promise<Found>) {
  try {
    return await verify()
  } catch {
    return undefined
  }
}

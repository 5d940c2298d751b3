import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server"
import { cose, decodeCredentialPublicKey } from "@simplewebauthn/server/helpers"

import type { RelyingParty } from "../../configuration/relying-party.ts"
import type { Assertion, Attestation } from "./credential.ts"

/*
 * The library weighs more than all else that is loaded late, so it is a code module of its own: nothing but an
 * `import()` may lead here.
 */

type Asked = RelyingParty & { challenge: string }

const clientExtensionResults = {}

/**
 * Returns the new credential, or undefined unless its user was verified and it was created here, for this
 * challenge.
 */
export async function verifyAttestation(
  given: Attestation,
  { algorithms, ...asked }: Asked & { algorithms: number[] },
) {
  if (isEmbedded(given.response)) return undefined
  const { clientDataJSON, attestationObject } = given.response
  const response = { clientDataJSON, attestationObject }
  const found = await unlessRefused(() =>
    verifyRegistrationResponse({
      ...expectedOf(asked),
      response: { ...given, response, clientExtensionResults },
      supportedAlgorithmIDs: algorithms,
    }),
  )
  if (!found?.verified) return undefined
  const { credential, credentialBackedUp } = found.registrationInfo
  const algorithm = Number(decodeCredentialPublicKey(credential.publicKey).get(cose.COSEKEYS.alg))
  return { ...credential, algorithm, backedUp: credentialBackedUp }
}

type Stored = { credentialId: string; publicKey: string; count: number }

/** The count and state of the authenticator; undefined unless the stored key has signed it here, for this challenge. */
export async function verifyAssertion(given: Assertion, asked: Asked, stored: Stored) {
  if (isEmbedded(given.response)) return undefined
  const { credentialId, publicKey, count } = stored
  const found = await unlessRefused(() =>
    verifyAuthenticationResponse({
      ...expectedOf(asked),
      response: { ...given, clientExtensionResults },
      credential: {
        id: credentialId,
        publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")),
        counter: count,
      },
    }),
  )
  return found?.verified ? found.authenticationInfo : undefined
}

function expectedOf({ challenge, rpId, origins }: Asked) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: origins,
    expectedRPID: rpId,
    requireUserVerification: true,
  }
}

/**
 * Whether the page was in another site's frame. The library accepts that if the browser does not name the
 * other site.
 */
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

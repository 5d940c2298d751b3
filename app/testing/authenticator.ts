import { createHash } from "node:crypto"

// Loaded before a request needs it: on a busy machine its first load takes longer than one may.
import "../service/sign-in/passkey/web-authentication.ts"
import { encodeCbor } from "./cbor.ts"
import { webUrl } from "./origins.ts"

type Creation = { challenge: string; rp: { id: string }; user: { id: string } }
type Request = { challenge: string; rpId: string }

/** Values that an attack replaces. */
export type Forged = Partial<{
  origin: string
  rpId: string
  challenge: string
  type: string
  userHandle: string
  isVerified: boolean
  count: number
  crossOrigin: boolean
  /** Bytes of the signature with one bit changed. */
  isFlipped: boolean
  /** An id of another credential. */
  id: string
}>

const userPresent = 1
const userVerified = 4
const backup = 8 | 16
const attested = 64

function sha256(text: string | Uint8Array) {
  return createHash("sha256").update(text).digest()
}

function base64url(bytes: Uint8Array | string) {
  return Buffer.from(bytes).toString("base64url")
}

/** An integer of ASN.1. */
function derInteger(bytes: Uint8Array) {
  const from = bytes.findIndex((byte) => byte !== 0)
  const short = bytes.subarray(from)
  const body = (short[0] ?? 0) > 127 ? [0, ...short] : [...short]
  return [2, body.length, ...body]
}

/**
 * An authenticator as software, with one credential of ES256: it says what browsers and authenticators say, and
 * whatever an attack makes it say, on pages of one origin. It counts unless told not to.
 */
export async function createAuthenticator({ counts = true, origin = webUrl } = {}) {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  if (!("privateKey" in pair)) throw new Error("ECDSA has pairs of keys")
  const { x = "", y = "" } = await crypto.subtle
    .exportKey("jwk", pair.publicKey)
    .then((key) => Object(key))
  const cose = encodeCbor(
    new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]),
  )
  const credentialId = crypto.getRandomValues(new Uint8Array(32))
  const id = base64url(credentialId)
  let count = 0
  let owner = ""

  const clientData = (type: string, challenge: string, forged: Forged) =>
    base64url(
      JSON.stringify({
        type: forged.type ?? type,
        challenge: forged.challenge ?? challenge,
        origin: forged.origin ?? origin,
        crossOrigin: forged.crossOrigin ?? false,
      }),
    )
  const authenticatorData = (rpId: string, flags: number, forged: Forged) => {
    count += counts ? 1 : 0
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(forged.count ?? count)
    const byte = userPresent | backup | flags | ((forged.isVerified ?? true) ? userVerified : 0)
    return Buffer.concat([sha256(forged.rpId ?? rpId), Uint8Array.from([byte]), counter])
  }

  return {
    id,

    /** JSON of `navigator.credentials.create`. */
    create: (creation: Creation, forged: Forged = {}) => {
      owner = creation.user.id
      const length = Uint8Array.from([0, credentialId.length])
      const authData = Buffer.concat([
        authenticatorData(creation.rp.id, attested, forged),
        new Uint8Array(16),
        length,
        credentialId,
        cose,
      ])
      const attestationObject = encodeCbor(
        new Map<string, string | Uint8Array | Map<string, string>>([
          ["fmt", "none"],
          ["attStmt", new Map()],
          ["authData", authData],
        ]),
      )
      return {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: clientData("webauthn.create", creation.challenge, forged),
          attestationObject: base64url(attestationObject),
          transports: ["internal"],
        },
        clientExtensionResults: {},
      }
    },

    /** JSON of `navigator.credentials.get`. */
    get: async (request: Request, forged: Forged = {}) => {
      const clientDataJSON = clientData("webauthn.get", request.challenge, forged)
      const data = authenticatorData(request.rpId, 0, forged)
      const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, "base64url"))])
      const raw = new Uint8Array(await crypto.subtle.sign(algorithm, pair.privateKey, signed))
      const [r, s] = [derInteger(raw.subarray(0, 32)), derInteger(raw.subarray(32))]
      const signature = Uint8Array.from([48, r.length + s.length, ...r, ...s])
      if (forged.isFlipped) signature[10] = (signature[10] ?? 0) ^ 1
      const credential = forged.id ?? id
      return {
        id: credential,
        rawId: credential,
        type: "public-key",
        response: {
          clientDataJSON,
          authenticatorData: base64url(data),
          signature: base64url(signature),
          userHandle: forged.userHandle ?? owner,
        },
        clientExtensionResults: {},
      }
    },
  }
}

export type Authenticator = Awaited<ReturnType<typeof createAuthenticator>>

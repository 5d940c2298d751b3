import * as z from "zod"

/** Purposes of a challenge. A response is rejected if its challenge has another purpose. */
export const purposes = ["sign-in", "step-up", "add"] as const

export type Purpose = (typeof purposes)[number]

/** Base64url text of at most `most` characters. */
function base64url(most: number) {
  return z
    .string()
    .regex(/^[\w-]+$/, "Must be base64url")
    .max(most)
}

const id = base64url(1364)
const clientDataJSON = base64url(4000)
const type = z.literal("public-key")

/** `PublicKeyCredential.toJSON()` of a new credential; other properties are ignored. */
export const Attestation = z.object({
  id,
  rawId: id,
  type,
  response: z.object({
    clientDataJSON,
    attestationObject: base64url(20_000),
    transports: z.array(z.string().max(20)).max(8).optional(),
  }),
})

/** `PublicKeyCredential.toJSON()` of a sign-in or step-up with an existing passkey. */
export const Assertion = z.object({
  id,
  rawId: id,
  type,
  response: z.object({
    clientDataJSON,
    authenticatorData: base64url(4000),
    signature: base64url(2000),
    userHandle: base64url(88),
  }),
})

export type Attestation = z.infer<typeof Attestation>
export type Assertion = z.infer<typeof Assertion>

/** Returns the user handle that an authenticator stores for a member, as base64url. */
export function handleOf(userId: string) {
  return Buffer.from(userId).toString("base64url")
}

/** COSE ids of ES256, EdDSA and RS256. Every authenticator supports at least one of these. */
export const algorithms = [-7, -8, -257]

/** Maximum passkeys of a member. */
export const maxPasskeys = 20

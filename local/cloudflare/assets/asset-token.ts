import { createHmac } from "node:crypto"

import { SignJWT, errors, jwtVerify } from "jose"
import * as z from "zod"

import { ApiFailure } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"

/** `upload` lets a client send the files of a session, `completion` stands for all of them. */
type Purpose = "upload" | "completion"

/** The tokens of asset uploads; wrangler reads the time they expire. */
export type AssetTokens = {
  sign(session: string, purpose: Purpose): Promise<string>
  /** @returns the session. @throws ApiFailure 10000 */
  verify(token: string, purpose: Purpose): Promise<string>
}

/** Seconds, Cloudflare's. */
export const uploadSessionSeconds = 60 * 60

const Payload = z.object({ session: z.string() })

export function createAssetTokens(secret: string): AssetTokens {
  const key = createHmac("sha256", secret).update("asset uploads").digest()
  return {
    sign: (session, purpose) =>
      new SignJWT({ session })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setAudience(purpose)
        .setIssuedAt()
        .setExpirationTime(`${uploadSessionSeconds}s`)
        .sign(key),
    async verify(token, purpose) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ["HS256"],
          audience: purpose,
        })
        return Payload.parse(payload).session
      } catch (cause) {
        const reason = cause instanceof errors.JWTExpired ? "has expired" : "is not valid"
        throw new ApiFailure(401, code.authentication, `The assets token ${reason}`, { cause })
      }
    },
  }
}

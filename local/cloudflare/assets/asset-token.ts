import { createHmac } from "node:crypto"

import * as z from "zod"

import { ApiError } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"

/** `upload` authorizes sending files of a session; `completion` proves that all have arrived. */
type Purpose = "upload" | "completion"

export type AssetTokens = ReturnType<typeof createAssetTokens>

/** Cloudflare's lifetime of an upload session. */
export const uploadSessionSeconds = 60 * 60

const Payload = z.object({ session: z.string() })

/** JWTs of asset uploads. wrangler reads their `exp`. */
export function createAssetTokens(secret: string) {
  const key = createHmac("sha256", secret).update("asset uploads").digest()
  return {
    async sign(session: string, purpose: Purpose) {
      const { SignJWT } = await loadJose()
      return new SignJWT({ session })
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .setAudience(purpose)
        .setIssuedAt()
        .setExpirationTime(`${uploadSessionSeconds}s`)
        .sign(key)
    },
    /** @returns the session's id. @throws ApiError 10000 */
    async verify(token: string, purpose: Purpose) {
      const { errors, jwtVerify } = await loadJose()
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ["HS256"],
          audience: purpose,
        })
        return Payload.parse(payload).session
      } catch (cause) {
        const reason = cause instanceof errors.JWTExpired ? "has expired" : "is not valid"
        throw new ApiError(401, code.authentication, `The assets token ${reason}`, { cause })
      }
    },
  }
}

/** Loaded late: most runs take no assets. */
function loadJose() {
  return import("jose")
}

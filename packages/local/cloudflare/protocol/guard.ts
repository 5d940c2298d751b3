import type { MiddlewareHandler } from "hono"

import { rejectionOf } from "../../daemon/loopback.ts"
import { bearerToken, equalSecrets } from "../../daemon/token.ts"
import { ApiError } from "./envelope.ts"
import { code } from "./error-code.ts"

/**
 * Refuses web pages before it reads the token: DNS rebinding shows in the Host header, a page in the
 * Origin header. The API has no pages of its own.
 */
export const onlyLoopback: MiddlewareHandler = async (c, next) => {
  const { host, origin } = c.req.header()
  const ofPage = origin === undefined ? undefined : "Requests of web pages are rejected"
  const reason = rejectionOf({ host }) ?? ofPage
  if (reason !== undefined) throw new ApiError(403, code.badHeaders, reason)
  await next()
}

/** Requires the state directory's token. */
export function onlyWith(token: string): MiddlewareHandler {
  return async (c, next) => {
    checkToken(c.req.header("authorization"), token)
    await next()
  }
}

function checkToken(authorization: string | undefined, token: string) {
  if (authorization === undefined) {
    throw new ApiError(
      400,
      code.missingToken,
      "Missing X-Auth-Key, X-Auth-Email or Authorization headers",
    )
  }
  const sent = bearerToken(authorization)
  if (sent === undefined) {
    throw new ApiError(400, code.badHeaders, "Invalid request headers")
  }
  if (!equalSecrets(sent, token)) {
    throw new ApiError(403, code.wrongToken, "Invalid access token")
  }
}

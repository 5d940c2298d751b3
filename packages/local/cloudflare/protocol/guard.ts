import type { MiddlewareHandler } from "hono"

import { rejectionOf } from "../../daemon/loopback.ts"
import { bearerToken, equalSecrets } from "../../daemon/token.ts"
import type { ConsoleSessions } from "../console/console-sessions.ts"
import { ApiError } from "./envelope.ts"
import { code } from "./error-code.ts"

/**
 * Refuses web pages before it reads the token: DNS rebinding shows in the Host header, a foreign
 * page in the Origin header.
 */
export const onlyLoopback: MiddlewareHandler = async (c, next) => {
  const reason = rejectionOf(c.req.header())
  if (reason !== undefined) throw new ApiError(403, code.badHeaders, reason)
  await next()
}

/** Requires the state directory's token; a console session suffices for GET below `/local/`. */
export function onlyWith(
  token: string,
  sessions: Pick<ConsoleSessions, "isValid">,
): MiddlewareHandler {
  return async (c, next) => {
    const authorization = c.req.header("authorization")
    const isRead = c.req.method === "GET" && c.req.path.startsWith("/local/")
    const key = bearerToken(authorization) ?? ""
    if (!isRead || !sessions.isValid(key)) checkToken(authorization, token)
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

import type { MiddlewareHandler } from "hono"

import { rejectionOf } from "../../daemon/loopback.ts"
import { bearerToken, equalSecrets } from "../../daemon/token.ts"
import type { Sessions } from "../console/sessions.ts"
import { ApiFailure } from "./envelope.ts"
import { code } from "./error-code.ts"

export const onlyLoopback: MiddlewareHandler = async (c, next) => {
  const reason = rejectionOf(c.req.header())
  if (reason !== undefined) throw new ApiFailure(403, code.badHeaders, reason)
  await next()
}

/** Only a program that can read this state directory's token gets in; a console may look around. */
export function onlyWith(token: string, sessions: Pick<Sessions, "holds">): MiddlewareHandler {
  return async (c, next) => {
    const authorization = c.req.header("authorization")
    const looks = c.req.method === "GET" && c.req.path.startsWith("/local/")
    const key = bearerToken(authorization) ?? ""
    if (!looks || !sessions.holds(key)) checkToken(authorization, token)
    await next()
  }
}

function checkToken(authorization: string | undefined, token: string) {
  if (authorization === undefined) {
    throw new ApiFailure(
      400,
      code.missingToken,
      "Missing X-Auth-Key, X-Auth-Email or Authorization headers",
    )
  }
  const sent = bearerToken(authorization)
  if (sent === undefined) {
    throw new ApiFailure(400, code.badHeaders, "Invalid request headers")
  }
  if (!equalSecrets(sent, token)) {
    throw new ApiFailure(403, code.wrongToken, "Invalid access token")
  }
}

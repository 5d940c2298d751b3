import { createHash, timingSafeEqual } from "node:crypto"

import type { MiddlewareHandler } from "hono"

import type { ConsoleSessions } from "../console/console-sessions.ts"
import { ApiFailure } from "./envelope.ts"
import { code } from "./error-code.ts"

const loopbackHosts = new Set(["127.0.0.1", "localhost", "[::1]"])

/**
 * Keeps web pages out before the token is looked at: a rebound DNS name arrives with its own Host,
 * a page with its own Origin.
 */
export const onlyLoopback: MiddlewareHandler = async (c, next) => {
  const host = c.req.header("host") ?? ""
  if (!loopbackHosts.has(host.replace(/:\d+$/, "").toLowerCase())) {
    throw new ApiFailure(403, code.badHeaders, "Only loopback hosts are answered: use 127.0.0.1")
  }
  const origin = c.req.header("origin")
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new ApiFailure(403, code.badHeaders, "Requests of other origins are refused")
  }
  await next()
}

/** Only a program that can read this state directory's token gets in; a console may look around. */
export function onlyWith(
  token: string,
  sessions: Pick<ConsoleSessions, "isValid"> = { isValid: () => false },
): MiddlewareHandler {
  return async (c, next) => {
    const authorization = c.req.header("authorization")
    const looks = c.req.method === "GET" && c.req.path.startsWith("/local/")
    if (!looks || !sessions.isValid(bearer(authorization) ?? "")) checkToken(authorization, token)
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
  const sent = bearer(authorization)
  if (sent === undefined) {
    throw new ApiFailure(400, code.badHeaders, "Invalid request headers")
  }
  if (!timingSafeEqual(digest(sent), digest(token))) {
    throw new ApiFailure(403, code.wrongToken, "Invalid access token")
  }
}

export function bearer(authorization = ""): string | undefined {
  return /^Bearer (?<token>\S+)$/i.exec(authorization)?.groups?.["token"]
}

/** Equal lengths are what `timingSafeEqual` asks for. */
function digest(value: string): Buffer {
  return createHash("sha256").update(value).digest()
}

import { createHash, timingSafeEqual } from "node:crypto"

import type { MiddlewareHandler } from "hono"

import type { Sessions } from "../console/sessions.ts"
import { ApiError } from "./envelope.ts"
import { code } from "./error-code.ts"

const loopbackHosts = new Set(["127.0.0.1", "localhost", "[::1]"])

/**
 * Refuses web pages before it reads the token: DNS rebinding shows in the Host header, a foreign
 * page in the Origin header.
 */
export const onlyLoopback: MiddlewareHandler = async (c, next) => {
  const host = c.req.header("host") ?? ""
  if (!loopbackHosts.has(host.replace(/:\d+$/, "").toLowerCase())) {
    throw new ApiError(403, code.badHeaders, "Only loopback hosts are served: use 127.0.0.1")
  }
  const origin = c.req.header("origin")
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new ApiError(403, code.badHeaders, "Requests from other origins are refused")
  }
  await next()
}

/** Requires the state directory's token; a console session suffices for GET below `/local/`. */
export function onlyWith(
  token: string,
  sessions: Pick<Sessions, "holds"> = { holds: () => false },
): MiddlewareHandler {
  return async (c, next) => {
    const authorization = c.req.header("authorization")
    const isRead = c.req.method === "GET" && c.req.path.startsWith("/local/")
    if (!isRead || !sessions.holds(bearer(authorization) ?? "")) checkToken(authorization, token)
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
  const sent = bearer(authorization)
  if (sent === undefined) {
    throw new ApiError(400, code.badHeaders, "Invalid request headers")
  }
  if (!timingSafeEqual(digest(sent), digest(token))) {
    throw new ApiError(403, code.wrongToken, "Invalid access token")
  }
}

export function bearer(authorization = ""): string | undefined {
  return /^Bearer (?<token>\S+)$/i.exec(authorization)?.groups?.["token"]
}

/** `timingSafeEqual` needs equal lengths. */
function digest(value: string): Buffer {
  return createHash("sha256").update(value).digest()
}

import { Hono } from "hono"
import * as z from "zod"

import { bearerToken } from "../../daemon/token.ts"
import { ApiError, body } from "../protocol/envelope.ts"
import { code as errorCode } from "../protocol/error-code.ts"
import type { ConsoleSessions } from "./console-sessions.ts"

const Credential = z.strictObject({ code: z.string() })

/**
 * `/local/console/session`: POST exchanges a link's code for a session key, DELETE revokes the key.
 * Neither needs the API token.
 */
export function consoleSessionApi(sessions: ConsoleSessions) {
  const app = new Hono()

  app.post("/session", async (c) => {
    const { code } = await body(c, Credential)
    const key = sessions.redeem(code)
    if (key === undefined) {
      const message =
        "This link was used before or has expired: `./accounts local console` prints a new one"
      throw new ApiError(403, errorCode.wrongToken, message)
    }
    c.header("cache-control", "no-store")
    return c.json({ key })
  })

  app.delete("/session", (c) => {
    sessions.revoke(bearerToken(c.req.header("authorization")) ?? "")
    return c.body(null, 204)
  })

  return app
}

/** `POST /local/console/link`: creates a sign-in link. Requires the API token. */
export function signInLinkApi(sessions: ConsoleSessions) {
  const app = new Hono()
  app.post("/link", (c) => {
    const { code, expiresAt } = sessions.createLinkCode()
    const url = new URL("/", c.req.url)
    // A fragment is never sent to a server, so the code appears in no log.
    url.hash = `sign-in=${code}`
    return c.json({ url: url.href, expiresAt: new Date(expiresAt).toISOString() })
  })
  return app
}

import { Hono } from "hono"
import * as z from "zod"

import { ApiFailure, body } from "../protocol/envelope.ts"
import { code as errorCode } from "../protocol/error-code.ts"
import { bearer } from "../protocol/guard.ts"
import type { ConsoleSessions } from "./console-sessions.ts"

const Entry = z.strictObject({ code: z.string() })

/** `POST /local/console/session`: a one-time code for a session's key. No token: the code is one. */
export function consoleSessionApi(sessions: ConsoleSessions) {
  const app = new Hono()

  app.post("/session", async (c) => {
    const { code } = await body(c, Entry)
    const key = sessions.redeem(code)
    if (key === undefined) {
      const message =
        "This link was used before, or it is too old: `./accounts local console` prints another"
      throw new ApiFailure(403, errorCode.wrongToken, message)
    }
    c.header("cache-control", "no-store")
    return c.json({ key })
  })

  app.delete("/session", (c) => {
    sessions.revoke(bearer(c.req.header("authorization")) ?? "")
    return c.body(null, 204)
  })

  return app
}

/** `POST /local/console/link`: for the holder of the token alone. */
export function signInLinkApi(sessions: ConsoleSessions) {
  const app = new Hono()
  app.post("/link", (c) => {
    const { code, expiresAt } = sessions.createLinkCode()
    const url = new URL("/", c.req.url)
    // What follows # is never sent to a server, and stands in no log.
    url.hash = `sign-in=${code}`
    return c.json({ url: url.href, expiresAt: new Date(expiresAt).toISOString() })
  })
  return app
}

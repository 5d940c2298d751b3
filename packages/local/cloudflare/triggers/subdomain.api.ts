import { Hono } from "hono"

import type { Control } from "../control.ts"
import { ApiError, noQuery, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"

/** `accounts/{account}/workers/subdomain`: the account's name under workers.dev, unless a setting takes it away. */
export function accountSubdomain({ settings }: Pick<Control, "settings">) {
  const app = new Hono()

  app.get("/", noQuery, (c) => {
    const { subdomain } = settings.read()
    if (subdomain !== null) return c.json(success({ subdomain }))
    // The code is wrangler's (getOrRegisterWorkersDevSubdomain); the text is assumed.
    throw new ApiError(404, code.noWorker, "The account has no workers.dev subdomain")
  })

  return app
}

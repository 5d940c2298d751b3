import { Hono } from "hono"

import { ApiError, noQuery, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { account } from "../seed.ts"

export function accountApi() {
  const app = new Hono()

  app.get("/user/tokens/verify", noQuery, (c) =>
    c.json(success({ id: account.id, status: "active" })),
  )

  return app
}

/** @throws ApiError 403, as for a real account that the token has no rights on */
export function requireAccount(id: string) {
  if (!/^[0-9a-f]{32}$/.test(id)) {
    const message = `Could not route to /accounts/${id}, perhaps your object identifier is invalid?`
    throw new ApiError(404, code.noObject, message)
  }
  if (id !== account.id) throw new ApiError(403, code.authentication, "Authentication error")
}

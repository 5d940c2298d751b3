import { Hono } from "hono"
import * as z from "zod"

import { ApiError, noQuery, pageOf, paging, query, success } from "../protocol/envelope.ts"
import { code } from "../protocol/error-code.ts"
import { account } from "../seed.ts"

const List = z.strictObject({
  ...paging,
  name: z.string().optional(),
  direction: z.enum(["asc", "desc"]).optional(),
})
const Memberships = z.strictObject({
  ...paging,
  status: z.string().optional(),
  name: z.string().optional(),
  order: z.string().optional(),
  direction: z.enum(["asc", "desc"]).optional(),
  "account.name": z.string().optional(),
})

const view = {
  id: account.id,
  name: account.name,
  type: "standard",
  created_on: account.createdOn,
  settings: { enforce_twofactor: false },
}

export function accountApi() {
  const app = new Hono()

  app.get("/accounts", (c) => {
    const { name, ...page } = query(c, List)
    return c.json(pageOf(name === undefined || name === view.name ? [view] : [], page))
  })

  app.get("/accounts/:account", noQuery, (c) => {
    requireAccount(c.req.param("account"))
    return c.json(success(view))
  })

  app.get("/memberships", (c) => {
    const membership = {
      id: account.id,
      account: view,
      status: "accepted",
      roles: ["Super Administrator - All Privileges"],
    }
    return c.json(pageOf([membership], query(c, Memberships)))
  })

  app.get("/user/tokens/verify", noQuery, (c) =>
    c.json(success({ id: account.id, status: "active" })),
  )

  app.get("/user", noQuery, (c) => c.json(success({ id: account.id, email: account.email })))

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

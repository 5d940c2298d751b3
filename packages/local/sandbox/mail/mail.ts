import { join } from "node:path"

import { Hono } from "hono"
import * as z from "zod"

import { hasKey, openKeys } from "../keys.ts"
import { style } from "../page.ts"
import { parse, requireToken } from "../request.ts"
import type { Sandbox } from "../sandbox.ts"
import { Message, openOutbox } from "./outbox.ts"
import { outboxPage } from "./page.ts"

const Keys = z.strictObject({ secret: z.string().min(1) })

/**
 * The mail service behind the local stack's MAIL_URL. It sends nothing: programs with the token read
 * the e-mails over HTTP, people on a page whose address contains the token.
 */
export const mail: Sandbox = {
  name: "mail",
  port: 8791,
  open({ directory, token }) {
    const outbox = openOutbox(join(directory, "outbox.db"))
    const keys = openKeys(join(directory, "keys.json"), Keys)
    const routes = new Hono()

    routes.post("/send", async (c) => {
      if (!hasKey(c.req.header("authorization"), keys.current()?.secret)) {
        return c.json({ error: "This is not the key of the deployed service" }, 401)
      }
      const id = outbox.put(parse(Message, await c.req.json().catch(() => undefined)))
      return c.json({ id: String(id) })
    })

    routes.get("/style.css", (c) => c.body(style, 200, { "content-type": "text/css" }))
    routes.get(`/outbox/${token}`, (c) =>
      c.html(outboxPage(outbox.after(0).toReversed(), c.req.path)),
    )
    routes.post(`/outbox/${token}/clear`, (c) => {
      outbox.clear()
      return c.redirect(`/outbox/${token}`, 303)
    })

    routes.use("/local/*", requireToken(token))
    routes.put("/local/keys", async (c) => {
      keys.replace(parse(Keys, await c.req.json()))
      return c.body(null, 204)
    })
    routes.get("/local/status", (c) => c.json({ page: `/outbox/${token}` }))
    routes.get("/local/emails", (c) => {
      const after = parse(z.coerce.number().int().min(0).default(0), c.req.query("after"))
      return c.json({ emails: outbox.after(after) })
    })
    return { routes, close: () => outbox.close() }
  },
}

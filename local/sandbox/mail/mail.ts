import { join } from "node:path"

import { Hono } from "hono"
import * as z from "zod"

import { parse } from "../../cloudflare/protocol/envelope.ts"
import { onlyWith } from "../../cloudflare/protocol/guard.ts"
import { carries, openKeys } from "../keys.ts"
import { style } from "../page.ts"
import type { Definition } from "../process.ts"
import { Mail, openOutbox } from "./outbox.ts"
import { outboxPage } from "./page.ts"

const Keys = z.strictObject({ secret: z.string().min(1) })

/**
 * The mail sender that MAIL_URL names on this machine. Nothing is sent: letters are there to read,
 * for programs with the token, and on a page whose address is as good as the token.
 */
export const mail: Definition = {
  name: "mail",
  port: 8791,
  open({ directory, token }) {
    const outbox = openOutbox(join(directory, "outbox.db"))
    const keys = openKeys(join(directory, "keys.json"), Keys)
    const routes = new Hono()

    routes.post("/send", async (c) => {
      if (!carries(c.req.header("authorization"), keys.current()?.secret)) {
        return c.json({ error: "This is not the key of the deployed service" }, 401)
      }
      const { id } = outbox.put(parse(Mail, await c.req.json().catch(() => undefined)))
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

    routes.use("/local/*", onlyWith(token))
    routes.put("/local/keys", async (c) => {
      keys.take(parse(Keys, await c.req.json()))
      return c.body(null, 204)
    })
    routes.get("/local/status", (c) => c.json({ page: `/outbox/${token}` }))
    routes.get("/local/letters", (c) => {
      const after = parse(z.coerce.number().int().min(0).default(0), c.req.query("after"))
      return c.json({ letters: outbox.after(after) })
    })
    return { routes, close: () => outbox.close() }
  },
}

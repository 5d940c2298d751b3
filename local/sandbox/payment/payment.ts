import { join } from "node:path"

import { Hono } from "hono"
import * as z from "zod"

import { ApiError, parse } from "../../cloudflare/protocol/envelope.ts"
import { onlyWith } from "../../cloudflare/protocol/guard.ts"
import { carries, openKeys } from "../keys.ts"
import { style } from "../page.ts"
import type { Definition } from "../process.ts"
import { policyOf } from "../sandbox.ts"
import { createCheckout } from "./checkout.ts"
import { endedPage, overviewPage, payPage } from "./page.ts"
import { openSessions, type Session } from "./sessions.ts"
import { Faults, openWebhooks } from "./webhooks.ts"

const Keys = z.strictObject({
  secret: z.string().min(1),
  webhookSecret: z.string().min(1),
  /** Where webhooks go. */
  webhookUrl: z.url({ protocol: /^http$/, hostname: /^(?:localhost|127\.0\.0\.1)$/ }),
})

/**
 * The payment provider that PAYMENT_URL names on this machine: Stripe's checkout as the service uses
 * it, a page to pay at, and signed webhooks, which misbehave on request.
 */
export const payment: Definition = {
  name: "payment",
  port: 8792,
  open({ directory, token }) {
    const sessions = openSessions(join(directory, "payment.db"))
    const keys = openKeys(join(directory, "keys.json"), Keys)
    const webhooks = openWebhooks(sessions.state, () => {
      const known = keys.current()
      return known && { url: known.webhookUrl, secret: known.webhookSecret }
    })
    const checkout = createCheckout({ sessions, webhooks })
    const find = (id: string): Session => {
      const session = checkout.find(id)
      if (session === undefined) throw new ApiError(404, 0, `No such checkout session: ${id}`)
      return session
    }
    const routes = new Hono()

    routes.use("/v1/*", async (c, next) => {
      if (webhooks.faults().down) throw new ApiError(500, 0, "Down, as was asked for")
      if (!carries(c.req.header("authorization"), keys.current()?.secret)) {
        throw new ApiError(401, 0, "This is not the key of the deployed service")
      }
      await next()
    })
    routes.post("/v1/checkout/sessions", async (c) => {
      const form = await c.req.parseBody()
      const { origin } = new URL(c.req.url)
      return c.json(checkout.open({ form, key: c.req.header("idempotency-key"), origin }))
    })
    routes.get("/v1/checkout/sessions/:id", (c) => c.json(find(c.req.param("id"))))
    routes.post("/v1/checkout/sessions/:id/expire", (c) =>
      c.json(checkout.expire(openOnly(find(c.req.param("id"))))),
    )

    routes.get("/style.css", (c) => c.body(style, 200, { "content-type": "text/css" }))
    routes.get("/pay/:id", (c) => {
      const session = find(c.req.param("id"))
      if (session.status !== "open") return c.html(endedPage(session))
      // Browsers hold a form's redirect to the policy as well.
      const targets = [session.success_url, session.cancel_url].map((url) => new URL(url).origin)
      c.header("content-security-policy", policyOf([...new Set(targets)]))
      return c.html(payPage(session))
    })
    routes.post("/pay/:id/:act{pay|promise|cancel}", (c) => {
      const { id, act } = c.req.param()
      const session = openOnly(find(id))
      if (act === "cancel") return c.redirect(session.cancel_url, 303)
      checkout[act === "pay" ? "pay" : "promise"](session)
      return c.redirect(session.success_url, 303)
    })

    routes.get(`/overview/${token}`, (c) => c.html(overviewPage(sessions.list(), c.req.path)))
    routes.post(`/overview/${token}/:id/:act{arrive|bounce}`, (c) => {
      const { id, act } = c.req.param()
      checkout.settle(promisedOnly(find(id)), act === "arrive")
      return c.redirect(`/overview/${token}`, 303)
    })

    routes.use("/local/*", onlyWith(token))
    routes.put("/local/keys", async (c) => {
      keys.take(parse(Keys, await c.req.json()))
      return c.body(null, 204)
    })
    routes.get("/local/status", (c) => c.json({ page: `/overview/${token}` }))
    routes.put("/local/faults", async (c) => {
      webhooks.misbehave(parse(Faults, await c.req.json()))
      return c.json(webhooks.faults())
    })
    routes.get("/local/deliveries", (c) => c.json({ deliveries: webhooks.deliveries() }))

    return {
      routes,
      close() {
        webhooks.close()
        sessions.state.close()
      },
    }
  },
}

function openOnly(session: Session): Session {
  if (session.status === "open") return session
  throw new ApiError(400, 0, `This checkout session is ${session.status}`)
}

function promisedOnly(session: Session): Session {
  if (session.status === "complete" && session.payment_status === "unpaid") return session
  throw new ApiError(400, 0, "No transfer is under way")
}

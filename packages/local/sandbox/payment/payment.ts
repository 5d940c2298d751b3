import { join } from "node:path"

import { Hono } from "hono"
import { html } from "hono/html"
import { HTTPException } from "hono/http-exception"
import * as z from "zod"

import { hasKey, openKeys, page, parse, policyOf, requireToken, style } from "../http.ts"
import type { Sandbox } from "../sandbox.ts"
import { type Session, createCheckout, disputeOf, openSessions } from "./checkout.ts"
import { Faults, openWebhooks } from "./webhooks.ts"

const Keys = z.strictObject({
  secret: z.string().min(1),
  webhookSecret: z.string().min(1),
  webhookUrl: z.url({ protocol: /^http$/, hostname: /^(?:(?:.+\.)?localhost|127\.0\.0\.1)$/ }),
})

/**
 * The payment provider at the local stack's PAYMENT_URL. It has the part of Stripe's checkout API that the service
 * calls, a payment page, and signed webhooks. Tests inject faults into the webhooks.
 */
export const payment: Sandbox = {
  name: "payment",
  port: 8792,
  open({ directory, token }) {
    const sessions = openSessions(join(directory, "payment.db"))
    const keys = openKeys(join(directory, "keys.json"), Keys)
    const webhooks = openWebhooks(sessions.state, () => {
      const current = keys.current()
      return current && { url: current.webhookUrl, secret: current.webhookSecret }
    })
    const checkout = createCheckout({ sessions, webhooks })
    const find = (id: string): Session => {
      const session = checkout.find(id)
      if (session === undefined) {
        throw new HTTPException(404, { message: `There is no checkout session ${id}` })
      }
      return session
    }
    const routes = new Hono()

    routes.use("/v1/*", async (c, next) => {
      if (webhooks.faults().down) {
        throw new HTTPException(500, { message: "Down: the fault `down` is set" })
      }
      if (!hasKey(c.req.header("authorization"), keys.current()?.secret)) {
        throw new HTTPException(401, { message: "This is not the key of the deployed service" })
      }
      const version = c.req.header("stripe-version")
      if (version !== undefined && !isVersion(version)) {
        throw new HTTPException(400, { message: `Invalid Stripe API version: ${version}` })
      }
      await next()
    })
    routes.post("/v1/checkout/sessions", async (c) => {
      const form = await c.req.parseBody()
      const { origin } = new URL(c.req.url)
      return c.json(checkout.open({ form, key: c.req.header("idempotency-key"), origin }))
    })
    routes.get("/v1/checkout/sessions", (c) => {
      const session = sessions.findByIntent(c.req.query("payment_intent") ?? "")
      return c.json({
        object: "list",
        data: session === undefined ? [] : [session],
        has_more: false,
      })
    })
    routes.get("/v1/disputes/:id", (c) => {
      const id = c.req.param("id")
      const session = sessions.findByIntent(id.replace(/^dp_/, ""))
      if (session?.dispute) return c.json(disputeOf(session))
      throw new HTTPException(404, { message: `There is no dispute ${id}` })
    })
    routes.get("/v1/checkout/sessions/:id", (c) => c.json(find(c.req.param("id"))))
    routes.post("/v1/checkout/sessions/:id/expire", (c) =>
      c.json(checkout.expire(requireOpen(find(c.req.param("id"))))),
    )

    routes.get("/style.css", (c) => c.body(style, 200, { "content-type": "text/css" }))
    routes.get("/pay/:id", (c) => {
      const session = find(c.req.param("id"))
      if (session.status !== "open") return c.html(endedPage(session))
      // Browsers apply form-action also to the redirect after a form.
      const targets = [session.success_url, session.cancel_url].map((url) => new URL(url).origin)
      c.header("content-security-policy", policyOf([...new Set(targets)]))
      return c.html(payPage(session))
    })
    routes.post("/pay/:id/:act{pay|promise|cancel}", (c) => {
      const { id, act } = c.req.param()
      const session = requireOpen(find(id))
      if (act === "cancel") return c.redirect(session.cancel_url, 303)
      checkout[act === "pay" ? "pay" : "promise"](session)
      return c.redirect(session.success_url, 303)
    })

    routes.get(`/overview/${token}`, (c) => c.html(overviewPage(sessions.list(), c.req.path)))
    routes.post(`/overview/${token}/:id/:act{arrive|bounce}`, (c) => {
      const { id, act } = c.req.param()
      checkout.settle(requirePending(find(id)), act === "arrive")
      return c.redirect(`/overview/${token}`, 303)
    })

    routes.post(`/overview/${token}/:id/:act{refund|dispute|win|lose}`, (c) => {
      const { id, act } = c.req.param()
      const session = requirePaid(find(id))
      if (act === "refund") checkout.refund(session)
      else if (act === "dispute") checkout.dispute(session, "needs_response")
      else checkout.dispute(session, act === "win" ? "won" : "lost")
      return c.redirect(`/overview/${token}`, 303)
    })

    routes.use("/local/*", requireToken(token))
    routes.put("/local/keys", async (c) => {
      keys.replace(parse(Keys, await c.req.json()))
      return c.body(null, 204)
    })
    routes.get("/local/status", (c) => c.json({ page: `/overview/${token}` }))
    routes.put("/local/faults", async (c) => {
      webhooks.inject(parse(Faults, await c.req.json()))
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

/** Validates a Stripe API version. Versions from 2024-09-30 on have a name: https://docs.stripe.com/api/versioning */
function isVersion(version: string): boolean {
  const [, date, name] = /^(\d{4}-\d\d-\d\d)(\.[a-z]+)?$/.exec(version) ?? []
  return date !== undefined && date < "2024-09-30" === (name === undefined)
}

function requireOpen(session: Session): Session {
  if (session.status === "open") return session
  throw new HTTPException(400, { message: `This checkout session is ${session.status}` })
}

function requirePaid(session: Session): Session {
  if (session.payment_status === "paid") return session
  throw new HTTPException(400, { message: "This session is not paid" })
}

function requirePending(session: Session): Session {
  if (session.status === "complete" && session.payment_status === "unpaid") return session
  throw new HTTPException(400, { message: "This session is not waiting for a bank transfer" })
}

function payPage({ id, title, amount_total, currency }: Session) {
  const price = new Intl.NumberFormat("en", { style: "currency", currency })
  return page(
    title,
    html`<p class="price">${price.format(amount_total / 100)}</p>
      ${button(id, "pay", "Pay")} ${button(id, "promise", "Pay by bank transfer")}
      ${button(id, "cancel", "Cancel")}
      <p class="note">This is a payment sandbox on your machine. No money moves.</p>`,
  )
}

function endedPage({ title, status, payment_status }: Session) {
  return page(title, html`<p>This checkout is ${status} and ${payment_status}.</p>`)
}

/** Lists the sessions, with buttons to refund or dispute a payment and to settle a bank transfer. */
function overviewPage(sessions: Session[], path: string) {
  return page(
    "Payments",
    sessions.length === 0
      ? html`<p class="note">
          No checkouts yet. Every checkout that the local service opens appears here.
        </p>`
      : html`${sessions.map((session) => overviewOf(session, path))}`,
  )
}

function overviewOf(session: Session, path: string) {
  const { id, title, client_reference_id, status, payment_status } = session
  return html`<article>
    <h2>${title}</h2>
    <p>${client_reference_id}: ${[status, payment_status, ...reversalsOf(session)].join(", ")}</p>
    ${status === "open" ? html`<a href="/pay/${id}">Open</a>` : ""}
    ${
      status === "complete" && payment_status === "unpaid"
        ? html`${ownerButton(path, id, "arrive", "Let the transfer arrive")}
          ${ownerButton(path, id, "bounce", "Let the transfer fail")}`
        : ""
    }
    ${actsOf(session).map(([act, label]) => ownerButton(path, id, act, label))}
  </article>`
}

function reversalsOf({ refunded, dispute }: Session) {
  return [...(refunded ? ["refunded"] : []), ...(dispute === null ? [] : [`dispute ${dispute}`])]
}

/** Lists the possible actions on a payment. */
function actsOf({ payment_status, refunded, dispute }: Session): [act: string, label: string][] {
  if (payment_status !== "paid" || refunded) return []
  if (dispute === "needs_response") {
    return [
      ["win", "Let the dispute be won"],
      ["lose", "Let the dispute be lost"],
    ]
  }
  return dispute === null
    ? [
        ["refund", "Refund it"],
        ["dispute", "Let the bank dispute it"],
      ]
    : []
}

function button(id: string, act: string, label: string) {
  return html`<form method="post" action="/pay/${id}/${act}"><button>${label}</button></form>`
}

function ownerButton(path: string, id: string, act: string, label: string) {
  return html`<form method="post" action="${path}/${id}/${act}"><button>${label}</button></form>`
}

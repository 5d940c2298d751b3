import { randomBytes } from "node:crypto"

import * as z from "zod"

import { ApiError, parse } from "../../cloudflare/protocol/envelope.ts"
import type { Session, Sessions } from "./sessions.ts"
import type { Webhooks } from "./webhooks.ts"

const hour = 60 * 60

const number = z
  .string()
  .regex(/^\d{1,10}$/)
  .transform(Number)

/** What the service orders, in Stripe's form fields. */
const Order = z.strictObject({
  mode: z.literal("payment"),
  client_reference_id: z.string().min(1).max(200),
  "line_items[0][quantity]": z.literal("1"),
  "line_items[0][price_data][currency]": z.string().regex(/^[a-z]{3}$/),
  "line_items[0][price_data][unit_amount]": number,
  "line_items[0][price_data][product_data][name]": z.string().min(1).max(250),
  expires_at: number.optional(),
  success_url: z.url({ protocol: /^https?$/ }),
  cancel_url: z.url({ protocol: /^https?$/ }),
})

/** Sessions from their opening to their end, and what is told of it. */
export function createCheckout({ sessions, webhooks }: { sessions: Sessions; webhooks: Webhooks }) {
  /** A session as it is now: time alone ends one. */
  function find(id: string): Session | undefined {
    const session = sessions.find(id)
    if (session?.status !== "open" || session.expires_at > seconds()) return session
    return end(session)
  }

  function end(session: Session): Session {
    const ended: Session = { ...session, status: "expired", url: null }
    sessions.put(ended)
    webhooks.send("checkout.session.expired", ended)
    return ended
  }

  function complete(session: Session, payment_status: Session["payment_status"]): Session {
    const completed: Session = { ...session, status: "complete", payment_status, url: null }
    sessions.put(completed)
    webhooks.send("checkout.session.completed", completed)
    return completed
  }

  return {
    find,

    /** The same key brings the same session; with another order it is refused, as at Stripe. */
    open(options: {
      form: Record<string, unknown>
      key: string | undefined
      origin: string
    }): Session {
      const { form, key, origin } = options
      const order = parse(Order, form)
      const text = JSON.stringify(order)
      const before = key === undefined ? undefined : sessions.findByKey(key)
      if (before !== undefined) {
        if (before.order === text) return before.session
        throw new ApiError(400, 0, "This idempotency key was used for another order")
      }
      const id = `cs_test_${randomBytes(24).toString("base64url")}`
      const created = seconds()
      const session: Session = {
        id,
        object: "checkout.session",
        client_reference_id: order.client_reference_id,
        status: "open",
        payment_status: "unpaid",
        amount_total: order["line_items[0][price_data][unit_amount]"],
        currency: order["line_items[0][price_data][currency]"],
        title: order["line_items[0][price_data][product_data][name]"],
        success_url: order.success_url,
        cancel_url: order.cancel_url,
        created,
        expires_at: order.expires_at ?? created + 24 * hour,
        url: `${origin}/pay/${id}`,
      }
      sessions.open({ session, order: text, key })
      return session
    },

    /** Paid at once, or by a transfer that arrives later. */
    pay: (session: Session) => complete(session, "paid"),
    promise: (session: Session) => complete(session, "unpaid"),

    /** What became of a transfer that was promised. */
    settle(session: Session, paid: boolean): Session {
      const settled: Session = { ...session, payment_status: paid ? "paid" : "unpaid" }
      sessions.put(settled)
      const outcome = paid ? "succeeded" : "failed"
      webhooks.send(`checkout.session.async_payment_${outcome}`, settled)
      return settled
    },

    expire: end,
  }
}

function seconds() {
  return Math.floor(Date.now() / 1000)
}

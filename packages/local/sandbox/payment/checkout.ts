import { randomBytes } from "node:crypto"

import { HTTPException } from "hono/http-exception"
import * as z from "zod"

import { jsonColumn, openState } from "../../state/state.ts"
import { parse } from "../http.ts"
import type { Webhooks } from "./webhooks.ts"

/** In seconds. */
const hour = 60 * 60

const number = z
  .string()
  .regex(/^\d{1,10}$/)
  .transform(Number)

/** The form fields of Stripe's API that the service sends. */
const Order = z.strictObject({
  mode: z.literal("payment"),
  client_reference_id: z.string().min(1).max(200),
  "line_items[0][quantity]": z.literal("1"),
  "line_items[0][price_data][currency]": z.string().regex(/^[a-z]{3}$/),
  "line_items[0][price_data][unit_amount]": number,
  "line_items[0][price_data][product_data][name]": z.string().min(1).max(250),
  // https://docs.stripe.com/api/checkout/sessions/create
  expires_at: number
    .refine((at) => at >= seconds() + hour / 2 && at <= seconds() + 24 * hour, {
      error: "must be between 30 minutes and 24 hours from now",
    })
    .optional(),
  success_url: z.url({ protocol: /^https?$/ }),
  cancel_url: z.url({ protocol: /^https?$/ }),
})

/** Changes the state of checkout sessions, and sends the webhook of each change. */
export function createCheckout({ sessions, webhooks }: { sessions: Sessions; webhooks: Webhooks }) {
  /** Finds a session, and expires it if its time is over. No timer expires sessions. */
  function find(id: string): Session | undefined {
    const session = sessions.find(id)
    if (session?.status !== "open" || session.expires_at > seconds()) return session
    return expire(session)
  }

  function expire(session: Session): Session {
    const expired: Session = { ...session, status: "expired", url: null }
    sessions.put(expired)
    webhooks.send("checkout.session.expired", expired)
    return expired
  }

  function complete(session: Session, payment_status: Session["payment_status"]): Session {
    const payment_intent = `pi_${session.id.replaceAll(/\W/g, "")}`
    const completed: Session = {
      ...session,
      status: "complete",
      payment_status,
      payment_intent,
      url: null,
    }
    sessions.put(completed)
    webhooks.send("checkout.session.completed", completed)
    return completed
  }

  return {
    find,

    /** Opens a session. Like Stripe, returns the same session for the same key; rejects another order for it. */
    open(options: {
      form: Record<string, unknown>
      key: string | undefined
      origin: string
    }): Session {
      const { form, key, origin } = options
      const order = parse(Order, form)
      const text = JSON.stringify(order)
      const earlier = key === undefined ? undefined : sessions.findByKey(key)
      if (earlier !== undefined) {
        if (earlier.order === text) return earlier.session
        throw new HTTPException(400, {
          message: "This idempotency key was used for another order",
        })
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
        payment_intent: null,
        refunded: false,
        dispute: null,
      }
      sessions.open({ session, order: text, key })
      return session
    },

    pay: (session: Session) => complete(session, "paid"),
    /** Completes a session that is paid by bank transfer: the money arrives later. */
    promise: (session: Session) => complete(session, "unpaid"),

    /** Records whether the promised bank transfer arrived. */
    settle(session: Session, paid: boolean): Session {
      const settled: Session = { ...session, payment_status: paid ? "paid" : "unpaid" }
      sessions.put(settled)
      const outcome = paid ? "succeeded" : "failed"
      webhooks.send(`checkout.session.async_payment_${outcome}`, settled)
      return settled
    },

    expire,

    /** Refunds the full amount: https://docs.stripe.com/api/events/types#event_types-charge.refunded */
    refund(session: Session) {
      sessions.put({ ...session, refunded: true })
      const { id, amount_total: amount, payment_intent } = session
      webhooks.send("charge.refunded", {
        id: `ch_${id}`,
        object: "charge",
        payment_intent,
        amount,
        amount_refunded: amount,
        refunded: true,
      })
    },

    /** https://docs.stripe.com/disputes/how-disputes-work */
    dispute(session: Session, status: NonNullable<Session["dispute"]>) {
      const disputed = { ...session, dispute: status }
      sessions.put(disputed)
      const type = status === "needs_response" ? "created" : "closed"
      webhooks.send(`charge.dispute.${type}`, disputeOf(disputed))
    },
  }
}

/** Formats a dispute like Stripe. A session has at most one here. */
export function disputeOf({ payment_intent, dispute: status }: Session) {
  return { id: `dp_${payment_intent}`, object: "dispute", payment_intent, status }
}

function seconds() {
  return Math.floor(Date.now() / 1000)
}

/** The fields of Stripe's checkout session that the service and the pages read. */
export const Session = z.object({
  id: z.string(),
  object: z.literal("checkout.session"),
  client_reference_id: z.string(),
  status: z.enum(["open", "complete", "expired"]),
  payment_status: z.enum(["paid", "unpaid"]),
  amount_total: z.number(),
  currency: z.string(),
  title: z.string(),
  success_url: z.string(),
  cancel_url: z.string(),
  /** Seconds since 1970. */
  created: z.number(),
  /** Seconds since 1970. */
  expires_at: z.number(),
  /** The payment page; null unless the session is open. */
  url: z.string().nullable(),
  /** Null until the session is complete. */
  payment_intent: z.string().nullable().default(null),
  /** Whether the payment was refunded. */
  refunded: z.boolean().default(false),
  dispute: z.enum(["needs_response", "won", "lost"]).nullable().default(null),
})
export type Session = z.infer<typeof Session>

const Stored = z.object({ session: jsonColumn(Session), ordered: z.string() })
export type Sessions = ReturnType<typeof openSessions>

/** Sessions kept; older ones are deleted. */
const capacity = 1000

const schema = {
  version: 1,
  sql: `CREATE TABLE session (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, key TEXT UNIQUE,
    ordered TEXT NOT NULL, session TEXT NOT NULL
  ) STRICT;
  CREATE TABLE event (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL,
    body TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, due INTEGER, outcome TEXT
  ) STRICT`,
}

export function openSessions(file: string) {
  const state = openState(file, schema)
  return {
    state,
    find(id: string) {
      return state.find(Stored, "SELECT session, ordered FROM session WHERE id = ?", id)?.session
    },
    /** Returns the session opened with an idempotency key, and its order as JSON. */
    findByKey(key: string) {
      const row = state.find(Stored, "SELECT session, ordered FROM session WHERE key = ?", key)
      return row && { session: row.session, order: row.ordered }
    },
    findByIntent: (intent: string) =>
      state.find(
        Stored,
        "SELECT session, ordered FROM session WHERE json_extract(session, '$.payment_intent') = ?",
        intent,
      )?.session,
    open({ session, order, key }: { session: Session; order: string; key: string | undefined }) {
      state.transaction(() => {
        state.run(
          "DELETE FROM session WHERE number <= (SELECT max(number) FROM session) - ?",
          capacity,
        )
        state.insert("session", { id: session.id, key: key ?? null, ordered: order, session })
      })
    },
    put: (session: Session) =>
      state.run("UPDATE session SET session = ? WHERE id = ?", JSON.stringify(session), session.id),
    /** Returns the newest sessions, newest first. */
    list: () =>
      state
        .list(Stored, "SELECT session, ordered FROM session ORDER BY number DESC LIMIT 50")
        .map(({ session }) => session),
  }
}

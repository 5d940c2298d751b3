import { createHmac, timingSafeEqual } from "node:crypto"

import * as z from "zod"

import type { Configuration } from "../service/platform/configuration/configuration.ts"
import { callForJson } from "../service/platform/http/outbound.ts"

/** Stripe rejects a version without its name: https://docs.stripe.com/api/versioning */
const version = "2026-06-24.dahlia"
/** Seconds that a signature's time may differ from this clock, in either direction. */
const tolerance = 5 * 60

const Session = z.object({
  id: z.string().max(255),
  url: z.url().max(5000).nullish(),
  /** A longer id does not belong to this service. */
  client_reference_id: z.string().max(64).nullish().catch(null),
  amount_total: z.int().nullish(),
  currency: z.string().max(16).nullish(),
  status: z.string().nullish(),
  payment_status: z.string().nullish(),
})

const Sessions = z.object({ data: z.array(Session) })

const Event = z.object({
  id: z.string().max(255),
  type: z.string().max(255),
  data: z.object({ object: z.unknown() }),
})

const Charge = z.object({ payment_intent: z.string(), refunded: z.boolean() })
const Dispute = z.object({ id: z.string(), payment_intent: z.string(), status: z.string() })

/** Outcome for money that was paid; `won` means that a dispute ended without a refund. */
export type Reversal = {
  paymentId: string
  sessionId: string
  outcome: "refunded" | "disputed" | "won"
}

type Order = {
  paymentId: string
  /** Amount in the currency's smallest unit. */
  amount: number
  currency: string
  title: string
  expiresAt: Date
  successUrl: string
  cancelUrl: string
}

/** `processing` means a complete checkout whose transfer or debit takes days. */
type Outcome = "paid" | "failed" | "processing" | "pending"

export type Settlement = {
  paymentId: string
  sessionId: string
  outcome: Outcome
  /** Null if the provider reports none. Such a session settles nothing. */
  amount: number | null
  currency: string | null
}

export type Payments = ReturnType<typeof createStripe>

/**
 * Stripe Checkout over plain HTTP: its SDK would be a third of the bundle. `openCheckout`,
 * `expireCheckout` and `outcomeOf` throw if Stripe cannot be reached.
 */
export function createStripe({
  url,
  secret,
  webhookSecret,
}: NonNullable<Configuration["payment"]>) {
  const headers = { authorization: `Bearer ${secret.reveal()}`, "stripe-version": version }
  const urlOf = (sessionId: string) =>
    `${url}/v1/checkout/sessions/${encodeURIComponent(sessionId)}`
  /** Reads the current status, because events arrive in any order. */
  const outcomeOfDispute = async (id: string): Promise<Reversal["outcome"]> => {
    const { status } = Dispute.parse(
      await callForJson(`${url}/v1/disputes/${encodeURIComponent(id)}`, { headers }),
    )
    if (status === "lost") return "refunded"
    return status === "won" || status === "warning_closed" ? "won" : "disputed"
  }
  return {
    /** Idempotent: the same order returns the same session. */
    openCheckout: async (order: Order) => {
      const answer = await callForJson(`${url}/v1/checkout/sessions`, {
        method: "POST",
        headers: { ...headers, "idempotency-key": idempotencyKey(order) },
        body: new URLSearchParams({
          mode: "payment",
          client_reference_id: order.paymentId,
          "line_items[0][quantity]": "1",
          "line_items[0][price_data][currency]": order.currency,
          "line_items[0][price_data][unit_amount]": String(order.amount),
          "line_items[0][price_data][product_data][name]": order.title,
          expires_at: String(Math.floor(order.expiresAt.getTime() / 1000)),
          success_url: order.successUrl,
          cancel_url: order.cancelUrl,
        }),
      })
      const session = Session.parse(answer)
      if (typeof session.url !== "string") throw new Error("the checkout session has no url")
      return { sessionId: session.id, url: session.url }
    },

    /** Ends an open session; throws if it is not open. */
    expireCheckout: (sessionId: string) =>
      callForJson(`${urlOf(sessionId)}/expire`, { method: "POST", headers }),

    outcomeOf: async (sessionId: string) => {
      const session = Session.parse(await callForJson(urlOf(sessionId), { headers }))
      return settlementOf(session, outcomeOf(session))
    },

    /**
     * Returns null unless the provider signed exactly this body within the last five minutes. `about` is null if the
     * event does not concern a payment of this service.
     */
    readEvent: ({ body, signature, now }: Omit<Signed, "key">) => {
      if (!hasValidSignature({ body, signature, now, key: webhookSecret.reveal() })) return null
      const { id, type, data } = Event.parse(JSON.parse(body))
      const event = { id, type, about: null, object: data.object }
      if (!type.startsWith("checkout.session.")) return event
      const session = Session.parse(data.object)
      if (typeof session.client_reference_id !== "string") return event
      const failed = type === "checkout.session.async_payment_failed"
      return { ...event, about: settlementOf(session, failed ? "failed" : outcomeOf(session)) }
    },

    /** Returns an empty list for other events and for checkouts of other services. Throws like `outcomeOf`. */
    reversalsOf: async ({
      type,
      object,
    }: {
      type: string
      object: unknown
    }): Promise<Reversal[]> => {
      const isDispute = type.startsWith("charge.dispute.")
      const charge = Charge.safeParse(type === "charge.refunded" ? object : undefined).data
      const dispute = Dispute.safeParse(isDispute ? object : undefined).data
      const intent = (charge?.refunded ? charge : dispute)?.payment_intent
      if (intent === undefined) return []
      const query = new URLSearchParams({ payment_intent: intent }).toString()
      const answer = await callForJson(`${url}/v1/checkout/sessions?${query}`, { headers })
      const [session] = Sessions.parse(answer).data
      if (typeof session?.client_reference_id !== "string") return []
      const outcome = dispute === undefined ? "refunded" : await outcomeOfDispute(dispute.id)
      const { id: sessionId, client_reference_id: paymentId } = session
      return [{ paymentId, sessionId, outcome }]
    },
  }
}

/** The provider rejects a reused key if the order differs, for example in its expiry. */
function idempotencyKey({ paymentId, expiresAt }: { paymentId: string; expiresAt: Date }) {
  return `${paymentId}-${expiresAt.getTime()}`
}

function settlementOf(session: z.infer<typeof Session>, outcome: Outcome): Settlement {
  return {
    paymentId: session.client_reference_id ?? "",
    sessionId: session.id,
    outcome,
    amount: session.amount_total ?? null,
    currency: session.currency?.toLowerCase() ?? null,
  }
}

function outcomeOf({ status, payment_status }: z.infer<typeof Session>): Outcome {
  if (payment_status === "paid" || payment_status === "no_payment_required") return "paid"
  if (status === "complete") return "processing"
  return status === "expired" ? "failed" : "pending"
}

type Signed = { body: string; signature: string; now: Date; key: string }

/** `t=<unix seconds>,v1=<hex HMAC>`, with several v1 while the provider rotates its key. */
function hasValidSignature({ body, signature, now, key }: Signed) {
  const parts = signature.split(",").map((part) => part.split("=", 2))
  const time = parts.find(([name]) => name === "t")?.[1] ?? ""
  if (!(Math.abs(now.getTime() / 1000 - Number(time)) <= tolerance)) return false
  const expected = createHmac("sha256", key).update(`${time}.${body}`).digest()
  return parts.some(([name, value = ""]) => {
    const signed = Buffer.from(value, "hex")
    return name === "v1" && signed.length === expected.length && timingSafeEqual(signed, expected)
  })
}

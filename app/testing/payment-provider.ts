import { createHmac } from "node:crypto"

import type { Remote } from "./network.ts"

type Session = {
  id: string
  url: string
  client_reference_id: string
  status: "open" | "complete" | "expired"
  payment_status: "paid" | "unpaid"
}

const host = "pay.example"

/** A fake payment provider that signs its webhooks and can go down. */
export function createPaymentProvider() {
  const sessions = new Map<string, Session>()
  const byKey = new Map<string, Session>()
  const orders: FormData[] = []
  const state = { down: false }

  const remote: Remote = async (request) => {
    if (state.down) return new Response("down", { status: 500 })
    if (request.headers.get("authorization") !== "Bearer payment-api-key") {
      return new Response("who", { status: 401 })
    }
    if (request.method === "GET") {
      const session = sessions.get(new URL(request.url).pathname.split("/").at(-1) ?? "")
      return session ? Response.json(session) : new Response("no", { status: 404 })
    }
    const order = await request.formData()
    orders.push(order)
    const key = request.headers.get("idempotency-key") ?? ""
    const id = `cs_${crypto.randomUUID()}`
    const session = byKey.get(key) ?? {
      id,
      url: `https://${host}/pay/${id}`,
      client_reference_id: textOf(order.get("client_reference_id")),
      status: "open",
      payment_status: "unpaid",
    }
    byKey.set(key, session)
    sessions.set(session.id, session)
    return Response.json(session)
  }

  const sessionOf = (paymentId: string) => {
    const session = byKey.get(paymentId)
    if (session === undefined) throw new Error(`no checkout session of ${paymentId}`)
    return session
  }

  /** Returns a webhook's body and headers, ready to post. */
  const event = (type: string, paymentId: string, changes: Partial<Session> = {}) => {
    const object = { ...sessionOf(paymentId), ...changes }
    const body = JSON.stringify({ id: `evt_${crypto.randomUUID()}`, type, data: { object } })
    return { body, headers: { "content-type": "application/json", ...sign(body) } }
  }

  return {
    host,
    remote,
    orders,
    sign,
    event,
    pay: (paymentId: string) => {
      Object.assign(sessionOf(paymentId), { status: "complete", payment_status: "paid" })
      return event("checkout.session.completed", paymentId)
    },
    expire: (paymentId: string) =>
      event("checkout.session.expired", paymentId, { status: "expired" }),
    goDown: (down = true) => {
      state.down = down
    },
    bindings: {
      PAYMENT_URL: `https://${host}`,
      PAYMENT_SECRET: "payment-api-key",
      PAYMENT_WEBHOOK_SECRET: "payment-webhook-key",
    },
  }
}

function textOf(value: File | string | null) {
  return typeof value === "string" ? value : ""
}

function sign(body: string, at = Date.now(), key = "payment-webhook-key") {
  const time = Math.floor(at / 1000)
  const mac = createHmac("sha256", key).update(`${time}.${body}`).digest("hex")
  return { "stripe-signature": `t=${time},v1=${"0".repeat(64)},v1=${mac}` }
}

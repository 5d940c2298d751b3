import { createHmac } from "node:crypto"

import type { Remote } from "./network.ts"

type Session = {
  id: string
  url: string
  client_reference_id: string
  amount_total: number
  currency: string
  status: "open" | "complete" | "expired"
  payment_status: "paid" | "unpaid"
  payment_intent: string
}

const host = "pay.example"

/** A fake payment provider that signs its webhooks and can go down. */
export function createPaymentProvider() {
  const sessions = new Map<string, Session>()
  const disputes = new Map<string, { id: string; payment_intent: string; status: string }>()
  const byKey = new Map<string, { session: Session; order: string }>()
  const orders: FormData[] = []
  const expired: string[] = []
  const state = { down: false }

  /** Only an open one: https://docs.stripe.com/api/checkout/sessions/expire */
  const expire = (id: string) => {
    const session = sessions.get(id)
    if (session?.status !== "open") return new Response("not open", { status: 400 })
    expired.push(session.client_reference_id)
    Object.assign(session, { status: "expired" })
    return Response.json(session)
  }

  const remote: Remote = async (request) => {
    if (state.down) return new Response("down", { status: 500 })
    if (request.headers.get("authorization") !== "Bearer payment-api-key") {
      return new Response("who", { status: 401 })
    }
    const version = refusedVersion(request.headers.get("stripe-version") ?? "")
    if (version !== undefined) {
      return Response.json({ error: { message: version } }, { status: 400 })
    }
    if (request.method === "GET") {
      const { pathname, searchParams } = new URL(request.url)
      const intent = searchParams.get("payment_intent")
      if (intent !== null) {
        const matches = [...sessions.values()].filter(
          (candidate) => candidate.payment_intent === intent,
        )
        return Response.json({ object: "list", data: matches })
      }
      const [, dispute = ""] = /^\/v1\/disputes\/(\w+)$/.exec(pathname) ?? []
      if (dispute !== "") return Response.json(disputes.get(dispute))
      const session = sessions.get(new URL(request.url).pathname.split("/").at(-1) ?? "")
      return session ? Response.json(session) : new Response("no", { status: 404 })
    }
    const [, ending] =
      /^\/v1\/checkout\/sessions\/(\w+-[\w-]+)\/expire$/.exec(new URL(request.url).pathname) ?? []
    if (ending !== undefined) return expire(ending)
    const order = await request.formData()
    const key = request.headers.get("idempotency-key") ?? ""
    const refused = refusalOf(order, byKey.get(key)?.order)
    if (refused !== undefined) {
      return Response.json({ error: { message: refused } }, { status: 400 })
    }
    orders.push(order)
    const id = `cs_${crypto.randomUUID()}`
    const session = byKey.get(key)?.session ?? {
      id,
      url: `https://${host}/pay/${id}`,
      client_reference_id: textOf(order.get("client_reference_id")),
      amount_total: Number(textOf(order.get("line_items[0][price_data][unit_amount]"))),
      currency: textOf(order.get("line_items[0][price_data][currency]")),
      status: "open",
      payment_status: "unpaid",
      payment_intent: `pi_${id.slice(3)}`,
    }
    byKey.set(key, { session, order: textOfOrder(order) })
    sessions.set(session.id, session)
    return Response.json(session)
  }

  const sessionOf = (paymentId: string) => {
    const session = [...sessions.values()].findLast(
      ({ client_reference_id }) => client_reference_id === paymentId,
    )
    if (session === undefined) throw new Error(`no checkout session of ${paymentId}`)
    return session
  }

  /** Returns a webhook's body and headers, ready to post. */
  const event = (type: string, paymentId: string, changes: Partial<Session> = {}) =>
    eventOf(type, { ...sessionOf(paymentId), ...changes })
  const eventOf = (type: string, object: object) => {
    const body = JSON.stringify({ id: `evt_${crypto.randomUUID()}`, type, data: { object } })
    return { body, headers: { "content-type": "application/json", ...sign(body) } }
  }

  return {
    host,
    remote,
    orders,
    /** How many checkouts there are. */
    opened: () => sessions.size,
    /** Payments whose session this service has expired. */
    expired,
    sign,
    event,
    /** All of it, or a part: https://docs.stripe.com/api/events/types#event_types-charge.refunded */
    refund: (paymentId: string, refunded = true) => {
      const { payment_intent, amount_total } = sessionOf(paymentId)
      const amount_refunded = refunded ? amount_total : 1
      const charge = { id: "ch_1", amount: amount_total, amount_refunded, refunded }
      return eventOf("charge.refunded", { ...charge, object: "charge", payment_intent })
    },
    dispute: (paymentId: string, status: string, type = "created") => {
      const { payment_intent } = sessionOf(paymentId)
      const id = `dp_${payment_intent.replaceAll(/\W/g, "")}`
      disputes.set(id, { id, payment_intent, status })
      return eventOf(`charge.dispute.${type}`, { object: "dispute", id, payment_intent, status })
    },
    sessionIdOf: (paymentId: string) => sessionOf(paymentId).id,
    pay: (paymentId: string, changes: Partial<Session> = {}) => {
      const paid = { status: "complete", payment_status: "paid", ...changes }
      Object.assign(sessionOf(paymentId), paid)
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

/** Since 2024-09-30 a version has a name: https://docs.stripe.com/api/versioning */
function refusedVersion(version: string) {
  const [, date = "", name] = /^(\d{4}-\d\d-\d\d)(\.[a-z]+)?$/.exec(version) ?? []
  const isKnown = date !== "" && date < "2024-09-30" === (name === undefined)
  return isKnown ? undefined : `Invalid Stripe API version: ${version}`
}

/** https://docs.stripe.com/api/checkout/sessions/create; others are `parameter_unknown`. */
const parameters = [
  /^(mode|client_reference_id|expires_at|success_url|cancel_url)$/,
  /^line_items\[\d+\]\[quantity\]$/,
  /^line_items\[\d+\]\[price_data\]\[(currency|unit_amount)\]$/,
  /^line_items\[\d+\]\[price_data\]\[product_data\]\[name\]$/,
]

/** Stripe's rules: 30 minutes to 24 hours, and an idempotency key is for one order. */
function refusalOf(order: FormData, before: string | undefined) {
  const unknown = [...order.keys()].find(
    (name) => !parameters.some((parameter) => parameter.test(name)),
  )
  if (unknown !== undefined) return `Received unknown parameter: ${unknown}`
  for (const name of ["success_url", "cancel_url"]) {
    const url = URL.parse(textOf(order.get(name)))
    if (!/^https?:$/.test(url?.protocol ?? "")) return `Not a valid URL: ${name}`
  }
  const minutes = (Number(order.get("expires_at")) * 1000 - Date.now()) / 60_000
  if (minutes < 30 || minutes > 24 * 60) return "expires_at must be in 30 minutes to 24 hours"
  if (before !== undefined && before !== textOfOrder(order)) return "the idempotency key was used"
  return undefined
}

function textOfOrder(order: FormData) {
  return JSON.stringify([...order])
}

function textOf(value: File | string | null) {
  return typeof value === "string" ? value : ""
}

function sign(body: string, at = Date.now(), key = "payment-webhook-key") {
  const time = Math.floor(at / 1000)
  const mac = createHmac("sha256", key).update(`${time}.${body}`).digest("hex")
  return { "stripe-signature": `t=${time},v1=${"0".repeat(64)},v1=${mac}` }
}

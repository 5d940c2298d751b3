import * as z from "zod"

import { createResultInput } from "../../compatibility/testing/result.ts"
import type { Noun, Visit } from "../../testing/noun.ts"
import { checkoutDays, dailyPayments, eventDays, paymentDays } from "../payment.table.ts"

const Id = z.object({ id: z.string() })
const Checkout = z.object({ paymentId: z.string(), url: z.url() })

async function checkout(person: Visit["person"]) {
  const { body: result } = await person.post("createResult", createResultInput())
  const { body } = await person.post("createCheckout", { resultId: result["id"] })
  return { id: String(result["id"]), paymentId: String(body["paymentId"]) }
}

export const payment: Noun = {
  visit: async ({ person, send, payments, measure }) => {
    const { body } = await person.post("createResult", createResultInput())
    const id = String(body["id"])
    const of = { paymentId: "" }
    await measure("createCheckout", async () => {
      const opened = await person.post("createCheckout", { resultId: id })
      of.paymentId = String(opened.body["paymentId"])
    })
    const { paymentId } = of
    const webhook = payments.pay(paymentId)
    const deliver = (event: typeof webhook) => () => send("POST", "/api/v1/processWebhook", event)
    await measure("verifyPayment", () => person.post("verifyPayment", { paymentId }))
    await measure("listPayments", () => person.get("listPayments?cursor=MS5hYmM"))
    await measure("processWebhook", deliver(webhook))
    const next = await checkout(person)
    await measure("processWebhook, first", deliver(payments.pay(next.paymentId)))
    await measure("unlockDeepInsights", () =>
      person.post("unlockDeepInsights", { resultId: id, paymentId }),
    )
  },
  unaudited: {
    "POST /api/v1/createCheckout": "the payment itself says when it was begun",
    "POST /api/v1/unlockDeepInsights": "a member's own row; what is paid has an entry",
  },
  reads: ["listPayments"],
  pages: [
    ["listPayments"],
    ["listPayments?cursor=MTcwMDAwMDAwMTAwMC5h"],
    ["listAuditEntries?action=settle_payment"],
  ],
  leaving: {
    "createCheckout, 3": "the next call opens the same checkout at the provider, and stores it",
    "verifyPayment, 4": "the payment is settled, and only not read again",
  },
  halves: {
    "a payment without its entry": `select 1 from payment where status = 'paid' and not exists
    (select 1 from audit_entry where action = 'settle_payment' and detail = payment.id)`,
    "a payment that unlocked nothing": `select 1 from payment where status = 'paid' and not exists
    (select 1 from compatibility_result as r where r.payment_id = payment.id and r.unlocked_at is not null)`,
    "an unlocked result without a payment": `select 1 from compatibility_result as r where unlocked_at is not null
    and not exists (select 1 from payment where payment.id = r.payment_id and status = 'paid')`,
  },
  refusals: { createCheckout: "PAYMENT_NOT_CONFIGURED", processWebhook: "PAYMENT_NOT_CONFIGURED" },
  bounds: {
    payment: [{ daily: dailyPayments }],
    // A checkout has three, and what is paid may be disputed.
    payment_event: [{ daily: 6 * dailyPayments, days: eventDays }],
    // An address deletes an account a day.
    kept_checkout: [{ daily: dailyPayments, days: checkoutDays }],
    kept_payment: [{ days: paymentDays, why: "what was paid for" }],
  },
  inserts: [],
  collect: (person) => checkout(person),
  exempt: ["kept_checkout", "kept_payment", "payment_event"],
  members: ({ now }) => [
    `payment_event (id, type, received_at) select 'event' || i, 'x', ${now} from n where i % 10 = 0`,
  ],
  many: (numbered) => [
    `insert into payment (id, user_id, result_id, status, amount, currency, expires_at, created_at)
     ${numbered} select 'own' || i, ?1, 'own' || (i % 100), 'failed', 499, 'eur', 1, 1700000000000 + i from n`,
  ],
  journeys: [
    {
      title: "a payment unlocks the deep insights of compatibility",
      needs: "payments",
      take: async ({ join, payments, send, expect }) => {
        const ada = await join()
        const result = createResultInput()
        const { id } = Id.parse((await ada.post("/api/v1/createResult", result)).json)
        const opened = await ada.post("/api/v1/createCheckout", { resultId: id })
        const { paymentId } = Checkout.parse(opened.json)
        const unlock = { resultId: id, paymentId }
        expect((await ada.post("/api/v1/unlockDeepInsights", unlock)).status).toBe(402)
        const event = payments?.pay(paymentId) ?? { body: "", headers: {} }
        const delivered = await send("POST", "/api/v1/processWebhook", event)
        expect(delivered, delivered.text).toMatchObject({ status: 200, json: { received: true } })
        expect((await ada.get(`/api/v1/getResult?id=${id}`)).json).toMatchObject({
          unlocked: true,
          deepInsights: result.deepInsights,
        })
      },
    },
  ],
}

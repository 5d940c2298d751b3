import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { createResultInput } from "../compatibility/testing/result.ts"
import { records } from "../records.ts"
import { accountHash } from "../service/platform/database/records.ts"
import { sweep } from "../service/sweep/sweep.ts"
import { bind, createBrowser } from "../testing/browser.ts"
import { stopClock } from "../testing/clock.ts"
import { createNetwork } from "../testing/network.ts"
import { createPaymentProvider } from "../testing/payment-provider.ts"
import { createPerson, password } from "../testing/person.ts"
import { countRows } from "../testing/rows.ts"
import { dailyPayments } from "./payment.table.ts"
import { openShop } from "./testing/checkout.ts"

function unlockedAt(resultId: string) {
  return env.DB.prepare("select unlocked_at from compatibility_result where id = ?")
    .bind(resultId)
    .first<number>("unlocked_at")
}

test("create-checkout opens one checkout at the provider, and returns it again while it is open", async () => {
  const { provider, checkout } = await openShop()
  const answers = await Promise.all([checkout(), checkout(), checkout()])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(answers[0]?.body).toMatchObject({
    paymentId: expect.stringMatching(/^payment_/),
    url: expect.stringMatching(/^https:\/\/pay\.example\/pay\/cs_/),
  })
  expect(Object.fromEntries(provider.orders[0] ?? [])).toMatchObject({
    mode: "payment",
    "line_items[0][price_data][currency]": "eur",
    "line_items[0][price_data][unit_amount]": "499",
    success_url: expect.stringMatching(/^http:\/\/localhost:3000\/payments\/payment_/),
  })
})

test("create-checkout is for one's own results, and only until they are paid for", async () => {
  const { provider, bound, checkout, paymentId, deliver } = await openShop()
  expect((await checkout(await createPerson(bound))).status).toBe(404)
  await deliver(provider.pay(await paymentId()))
  const repeated = await checkout()
  expect(repeated.status).toBe(409)
  expect(repeated.body).toMatchObject({ code: "ALREADY_UNLOCKED" })
})

test("create-checkout reports that the provider is down, and works again once it is back", async () => {
  const { provider, checkout } = await openShop()
  provider.goDown()
  const failed = await checkout()
  expect(failed.status).toBe(503)
  expect(failed.body).toMatchObject({ code: "PAYMENT_UNAVAILABLE" })
  provider.goDown(false)
  expect((await checkout()).status).toBe(200)
})

test("create-checkout is unavailable without a payment provider", async () => {
  const person = await createPerson()
  const answer = await person.post("createCheckout", { resultId: "compatibility_result_0" })
  expect(answer).toMatchObject({ status: 503, body: { code: "PAYMENT_NOT_CONFIGURED" } })
})

test("process-webhook unlocks the result of a paid payment once, however often the event arrives", async () => {
  const { provider, resultId, paymentId, deliver, result } = await openShop()
  const webhook = provider.pay(await paymentId())
  expect((await deliver(webhook)).status).toBe(200)
  const first = await unlockedAt(resultId)
  const repeated = await Promise.all([deliver(webhook), deliver(webhook)])
  expect(repeated.map(({ status }) => status)).toEqual([200, 200])
  expect(await unlockedAt(resultId)).toBe(first)
  expect(await result()).toMatchObject({
    unlocked: true,
    deepInsights: createResultInput().deepInsights,
  })
  const events = await countRows(
    "payment_event",
    "id",
    (JSON.parse(webhook.body) as { id: string }).id,
  )
  expect(events).toBe(1)
})

test("process-webhook lets paid win, whatever the order of events", async () => {
  const { provider, paymentId, deliver, result } = await openShop()
  const id = await paymentId()
  const expired = provider.expire(id)
  const paid = provider.pay(id)
  await deliver(expired)
  expect(await result()).toMatchObject({ unlocked: false })
  await deliver(paid)
  await deliver(expired)
  expect(await result()).toMatchObject({ unlocked: true, paymentId: id })
})

test("process-webhook rejects a body that is unsigned, altered or old", async () => {
  const { provider, paymentId, deliver, result } = await openShop()
  const { body, headers } = provider.pay(await paymentId())
  const forgeries = [
    { body, headers: { "content-type": "application/json" } },
    { body: `${body} `, headers },
    { body, headers: { ...headers, ...provider.sign(body, Date.now() - 301_000) } },
    { body, headers: { ...headers, ...provider.sign(body, Date.now(), "another-key") } },
    { body: "{}", headers: { ...headers, ...provider.sign("{}") } },
  ]
  for (const forgery of forgeries) {
    const response = await deliver(forgery)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: "INVALID_SIGNATURE" })
  }
  expect(await result()).toMatchObject({ unlocked: false })
})

test("process-webhook acknowledges unrelated events", async () => {
  const { provider, paymentId, deliver, result } = await openShop()
  const response = await deliver(provider.event("charge.updated", await paymentId()))
  expect(response.status).toBe(200)
  expect(await result()).toMatchObject({ unlocked: false })
})

test("verify-payment and unlock-deep-insights work before the webhook arrives, which then changes nothing", async () => {
  const { provider, person, resultId, paymentId, deliver } = await openShop()
  const id = await paymentId()
  expect((await person.post("verifyPayment", { paymentId: id })).body).toMatchObject({
    status: "pending",
    paidAt: null,
  })
  const early = await person.post("unlockDeepInsights", { resultId, paymentId: id })
  expect(early.status).toBe(402)

  const webhook = provider.pay(id)
  const verified = await person.post("verifyPayment", { paymentId: id })
  expect(verified.body).toMatchObject({ id, status: "paid", amount: 499, currency: "eur" })
  const at = await unlockedAt(resultId)
  expect((await deliver(webhook)).status).toBe(200)
  expect(await unlockedAt(resultId)).toBe(at)

  const unlocked = await person.post("unlockDeepInsights", { resultId, paymentId: id })
  expect(unlocked.status).toBe(200)
  expect(unlocked.body).toMatchObject({ unlocked: true, paymentId: id })
})

test("verify-payment and unlock-deep-insights reject another member's payment, or one for another result", async () => {
  const { provider, bound, person, resultId, paymentId, deliver } = await openShop()
  const id = await paymentId()
  await deliver(provider.pay(id))
  const stranger = await createPerson(bound)
  expect((await stranger.post("verifyPayment", { paymentId: id })).status).toBe(404)
  const foreign = await stranger.post("unlockDeepInsights", { resultId, paymentId: id })
  expect(foreign.status).toBe(404)
  const { body } = await person.post("createResult", createResultInput())
  const swapped = { resultId: String(body["id"]), paymentId: id }
  expect((await person.post("unlockDeepInsights", swapped)).status).toBe(402)
})

test.each([
  ["another session", { id: "cs_of_a_payment_link" }],
  ["another amount", { amount_total: 1 }],
  ["another currency", { currency: "usd" }],
  ["a payment link for one cent", { id: "cs_link", amount_total: 1, currency: "usd" }],
])("a paid checkout of %s does not unlock a result", async (_name, changes) => {
  const { provider, paymentId, deliver, result } = await openShop()
  const id = await paymentId()
  const paid = { status: "complete", payment_status: "paid", ...changes } as const
  const answer = await deliver(provider.event("checkout.session.completed", id, paid))
  expect(answer.status).toBe(200)
  expect(await result()).toMatchObject({ unlocked: false })
  await deliver(provider.event("checkout.session.expired", id, { ...changes, status: "expired" }))
  await deliver(provider.pay(id))
  expect(await result()).toMatchObject({ unlocked: true })
})

test("a checkout that could not be opened is opened half an hour later", async () => {
  const { provider, checkout } = await openShop()
  using _clock = stopClock()
  provider.goDown()
  expect((await checkout()).status).toBe(503)
  provider.goDown(false)
  vi.setSystemTime(Date.now() + 45 * 60 * 1000)
  const opened = await checkout()
  expect(opened.status).toBe(200)
  expect(opened.body["expiresAt"]).toBe(new Date(Date.now() + 60 * 60 * 1000).toISOString())
})

test("records of money outlive the account, without its data", async () => {
  const person = await createPerson()
  const { body } = await person.post("createResult", createResultInput())
  await env.DB.prepare(
    `insert into payment (id, user_id, result_id, status, amount, currency, session_id, expires_at, created_at, paid_at)
     values ('payment_kept', ?, ?, 'paid', 499, 'eur', 'cs_kept', 1, 1, 2)`,
  )
    .bind(person.id, body["id"])
    .run()
  await person.browser.post("/api/auth/delete-user", { password })
  const { results } = await env.DB.prepare(
    "select * from kept_payment where id = 'payment_kept'",
  ).all()
  expect(results).toEqual([
    {
      id: "payment_kept",
      account_hash: accountHash(person.id),
      session_id: "cs_kept",
      amount: 499,
      currency: "eur",
      paid_at: 2,
    },
  ])
})

test("the sweep deletes what the provider sent a quarter ago", async () => {
  await env.DB.prepare(
    "insert into payment_event (id, type, received_at) values ('old', 'x', 1)",
  ).run()
  await sweep({ database: env.DB, records }, new Date())
  const events = await env.DB.prepare(
    "select count(*) as n from payment_event where id = 'old'",
  ).first("n")
  expect(events).toBe(0)
})

test("process-webhook has one method", async () => {
  const response = await createBrowser().send("PUT", "/api/v1/processWebhook")
  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"])
})

test("a member begins twenty payments a day", async () => {
  using _clock = stopClock()
  const { checkout } = await openShop()
  const statuses: number[] = []
  for (let count = 0; count < 22; count += 1) {
    statuses.push((await checkout()).status)
    vi.setSystemTime(Date.now() + 61 * 60_000)
  }
  // The first ones are of the day before by then.
  expect(statuses.slice(0, dailyPayments)).toEqual(statuses.slice(0, dailyPayments).map(() => 200))
  expect(statuses.slice(dailyPayments)).toEqual([429, 429])
  vi.setSystemTime(Date.now() + 5 * 60 * 60_000)
  expect((await checkout()).status).toBe(200)
})

test("an admin finds a member by the id of a payment", async () => {
  const payments = createPaymentProvider()
  createNetwork({ [payments.host]: payments.remote })
  const bound = bind(payments.bindings)
  const [payer, admin] = [await createPerson(bound), await createPerson(bound, "admin")]
  const { body: result } = await payer.post("createResult", createResultInput())
  const { body } = await payer.post("createCheckout", { resultId: result["id"] })
  const id = String(body["paymentId"])
  expect(await admin.get(`listUsers?id=${id}`)).toMatchObject({
    status: 200,
    body: { items: [{ id: payer.id, email: payer.email }], nextCursor: null },
  })
  expect((await admin.get("listUsers?id=payment_0")).body).toMatchObject({ items: [] })
})

import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { stopClock } from "../testing/clock.ts"
import { openShop } from "./testing/checkout.ts"

test("while a transfer is on its way nobody sells the result again, and it unlocks when the money is there", async () => {
  using _clock = stopClock()
  const { provider, network, checkout, paymentId, deliver, result, person } = await openShop()
  using _ = network
  const id = await paymentId()
  const unpaid = provider.pay(id, { payment_status: "unpaid" })
  // The page that the provider leads back to asks, or its webhook tells.
  await person.post("verifyPayment", { paymentId: id })
  expect((await deliver(unpaid)).status).toBe(200)
  for (const minutes of [1, 61, 5 * 24 * 60]) {
    vi.setSystemTime(Date.now() + minutes * 60_000)
    expect(await checkout()).toMatchObject({ status: 409, body: { code: "PAYMENT_PROCESSING" } })
  }
  const paid = { payment_status: "paid" } as const
  await deliver(provider.event("checkout.session.async_payment_succeeded", id, paid))
  expect(await result()).toMatchObject({ unlocked: true, paymentId: id })
})

test("a transfer that fails lets the result be bought again", async () => {
  const { provider, network, checkout, paymentId, deliver } = await openShop()
  using _ = network
  const id = await paymentId()
  await deliver(provider.pay(id, { payment_status: "unpaid" }))
  await deliver(provider.event("checkout.session.async_payment_failed", id))
  const again = await checkout()
  expect(again.status).toBe(200)
  expect(again.body["paymentId"]).not.toBe(id)
})

test("what unlocks a result ends its other checkout, and what is paid for it besides is listed", async () => {
  using _clock = stopClock()
  const { provider, network, paymentId, deliver, result } = await openShop()
  using _ = network
  const first = await paymentId()
  vi.setSystemTime(Date.now() + 61 * 60_000)
  const second = await paymentId()
  expect(second).not.toBe(first)
  await deliver(provider.pay(first))
  expect(await result()).toMatchObject({ unlocked: true, paymentId: first })
  expect(provider.expired).toEqual([second])
  // Somebody was on its page already.
  for (let count = 0; count < 2; count += 1) {
    // oxlint-disable-next-line no-await-in-loop -- the second changes nothing
    expect((await deliver(provider.pay(second))).status).toBe(200)
  }
  const { results } = await env.DB.prepare(
    "select detail from audit_entry where action = 'payment_unmatched' and detail like ?",
  )
    .bind(`${second} %`)
    .all()
  expect(results).toHaveLength(1)
  expect(await result()).toMatchObject({ paymentId: first })
})

test("the settings name the price that a checkout asks, where payments are taken", async () => {
  const { network, paymentId, person } = await openShop()
  using _ = network
  const { body: paid } = await person.post("verifyPayment", { paymentId: await paymentId() })
  const { amount, currency } = paid
  expect((await person.get("settings")).body).toMatchObject({
    prices: { deepInsights: { amount, currency } },
  })
})

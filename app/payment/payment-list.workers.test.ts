import { expect, test } from "vitest"

import { createResultInput } from "../compatibility/testing/result.ts"
import { createPerson } from "../testing/person.ts"
import { openShop } from "./testing/checkout.ts"

type Shop = Awaited<ReturnType<typeof openShop>>

/** What a page is told of a result by each operation that answers one, and of its payments. */
async function told({ person, resultId, result }: Shop) {
  const { body: results } = await person.get("listResults")
  const { body: payments } = await person.get("listPayments")
  return {
    result: (await result())["paymentStatus"],
    listed: results["items"],
    payments: payments["items"],
    resultId,
  }
}

test("a result says how its payment stands, from the first checkout to the money that went back", async () => {
  const shop = await openShop()
  const { provider, paymentId, deliver, resultId, person } = shop
  expect(await told(shop)).toMatchObject({ result: null, listed: [{ paymentStatus: null }] })
  expect((await person.get("listPayments")).body).toEqual({ items: [], nextCursor: null })

  const id = await paymentId()
  const expectStatus = async (status: string, unlocked: boolean) =>
    expect(await told(shop)).toMatchObject({
      result: status,
      listed: [{ id: resultId, unlocked, paymentStatus: status }],
      payments: [{ id, resultId, status, amount: 499, currency: "eur" }],
    })
  await expectStatus("pending", false)
  await deliver(provider.pay(id, { payment_status: "unpaid" }))
  await expectStatus("processing", false)
  const paid = { payment_status: "paid" } as const
  await deliver(provider.event("checkout.session.async_payment_succeeded", id, paid))
  await expectStatus("paid", true)
  const unlock = { resultId, paymentId: id }
  const { body: unlocked } = await person.post("unlockDeepInsights", unlock)
  expect(unlocked).toMatchObject({ paymentStatus: "paid" })
  await deliver(provider.dispute(id, "needs_response"))
  await expectStatus("disputed", true)
  await deliver(provider.refund(id))
  await expectStatus("refunded", false)
  const { body: verified } = await person.post("verifyPayment", { paymentId: id })
  expect((await told(shop)).payments).toEqual([verified])
})

test("a payment that failed after another was paid does not speak for the result", async () => {
  const shop = await openShop()
  const { provider, checkout, paymentId, deliver } = shop
  const first = await paymentId()
  await deliver(provider.expire(first))
  expect(await told(shop)).toMatchObject({ result: "failed", payments: [{ status: "failed" }] })
  const { body: second } = await checkout()
  expect(await told(shop)).toMatchObject({ result: "pending" })
  await deliver(provider.pay(first))
  expect(await told(shop)).toMatchObject({
    result: "paid",
    payments: [
      { id: second["paymentId"], status: "failed" },
      { id: first, status: "paid" },
    ],
  })
})

test("list-payments is for the owner alone, newest first, in pages", async () => {
  const shop = await openShop()
  const { bound, person, paymentId } = shop
  const first = await paymentId()
  const { body: other } = await person.post("createResult", createResultInput())
  const { body: next } = await person.post("createCheckout", { resultId: other["id"] })
  const { body: page } = await person.get("listPayments?limit=1")
  expect(page).toMatchObject({ items: [{ id: next["paymentId"] }] })
  const cursor = String(page["nextCursor"])
  expect((await person.get(`listPayments?limit=1&cursor=${cursor}`)).body).toMatchObject({
    items: [{ id: first }],
    nextCursor: null,
  })
  const stranger = await createPerson(bound)
  expect((await stranger.get("listPayments")).body).toEqual({ items: [], nextCursor: null })
})

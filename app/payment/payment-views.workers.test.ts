import { expect, test } from "vitest"

import { createResultInput } from "../compatibility/testing/result.ts"
import { apiUrl } from "../testing/browser.ts"
import { createReader } from "../testing/page-reader.ts"
import { createPerson } from "../testing/person.ts"
import { openShop } from "./testing/checkout.ts"

type Shop = Awaited<ReturnType<typeof openShop>>

/** Reads a result by each operation that returns one, and its payments. */
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
  const { body: second } = await person.post("createResult", createResultInput())
  const { body: next } = await person.post("createCheckout", { resultId: second["id"] })
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

async function openReader() {
  const { bound, person, resultId, provider } = await openShop()
  const reader = createReader({ ...bound, PAGES: "true" })
  for (const [name, value] of person.browser.cookies) reader.browser.cookies.set(name, value)
  return { reader, resultId, provider }
}

test("a result is bought on the page, also after the checkout was left, and the payments are listed", async () => {
  const { reader, provider } = await openReader()
  const offer = await reader.open("/account/payments")
  expect(offer.text).toMatch(/Deep insights: you and .* €4\.99 Pay/)
  const leaving = await reader.submit(offer, "buy")
  expect(leaving.headers.get("refresh")).toMatch(/^0; url=https:/)
  const place = provider.orders.at(-1)?.get("cancel_url")
  if (typeof place !== "string") throw new Error("no checkout was opened")
  const back = new URL(place)
  const unpaid = await reader.open(`${back.pathname}${back.search}`)
  expect(unpaid.text).toContain("This has not been paid yet. €4.99")
  const resumed = await reader.submit(unpaid, "buy")
  expect(resumed.headers.get("refresh")).toBe(leaving.headers.get("refresh"))
  // The list offers nothing that is open already.
  expect((await reader.open("/account/payments")).html).not.toContain('value="buy"')

  const paymentId = back.pathname.split("/").at(-1) ?? ""
  provider.pay(paymentId)
  expect((await reader.open(back.pathname)).text).toContain("Paid. Thank you!")
  const listed = await reader.open("/account/payments")
  expect(listed.text).toMatch(/€4\.99 .* paid/)
  expect(listed.html).not.toContain('value="buy"')
})

test("the payment provider leads back to a page that says what became of the payment", async () => {
  const { bound, person, resultId, provider } = await openShop()
  const reader = createReader({ ...bound, PAGES: "true" })
  for (const [name, value] of person.browser.cookies) reader.browser.cookies.set(name, value)
  const origin = { origin: apiUrl }
  const opened = await reader.browser.post("/api/v1/createCheckout", { resultId }, origin)
  const { paymentId } = await opened.json<{ paymentId: string }>()
  const back = `/payments/${paymentId}`
  expect(provider.orders.at(-1)?.get("success_url")).toBe(`${apiUrl}${back}`)

  const pending = await reader.open(back)
  expect(pending.text).toContain("This has not been paid yet")
  expect(pending.text).toContain("€4.99")
  // The webhook has not come yet.
  provider.pay(paymentId)
  expect((await reader.open(back)).text).toContain("Paid. Thank you!")
  expect((await reader.open("/payments/payment_of_nobody")).status).toBe(404)
})

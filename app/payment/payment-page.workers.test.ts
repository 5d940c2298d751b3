import { expect, test } from "vitest"

import { apiUrl } from "../testing/browser.ts"
import { createReader } from "../testing/page-reader.ts"
import { openShop } from "./testing/checkout.ts"

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
  const left = await reader.open(`${back.pathname}${back.search}`)
  expect(left.text).toContain("This has not been paid yet. €4.99")
  const again = await reader.submit(left, "buy")
  expect(again.headers.get("refresh")).toBe(leaving.headers.get("refresh"))
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

import { expect, test } from "vitest"

import { apiUrl } from "../testing/browser.ts"
import { createReader } from "../testing/page-reader.ts"
import { openShop } from "./testing/checkout.ts"

test("the payment provider leads back to a page that says what became of the payment", async () => {
  const { network, bound, person, resultId, provider } = await openShop()
  using _ = network
  const reader = createReader({ ...bound, PAGES: "true" })
  for (const [name, value] of person.browser.cookies) reader.browser.cookies.set(name, value)
  const origin = { origin: apiUrl }
  const opened = await reader.browser.post("/api/v1/createCheckout", { resultId }, origin)
  const { paymentId } = await opened.json<{ paymentId: string }>()
  const back = `/payments/${paymentId}`
  expect(provider.orders.at(-1)?.get("success_url")).toBe(`${apiUrl}${back}`)

  const pending = await reader.open(back)
  expect(pending.text).toContain("Your payment is on its way")
  expect(pending.text).toContain("€4.99")
  // The webhook has not come yet.
  provider.pay(paymentId)
  expect((await reader.open(back)).text).toContain("Paid. Thank you!")
  expect((await reader.open("/payments/payment_of_nobody")).status).toBe(404)
})

import { expect, test } from "vitest"

import { createResultInput } from "../compatibility/testing/result.ts"
import { bind } from "../testing/browser.ts"
import { createNetwork } from "../testing/network.ts"
import { createPaymentProvider } from "../testing/payment-provider.ts"
import { createPerson } from "../testing/person.ts"

test("an admin finds a member by the id of a payment", async () => {
  const payments = createPaymentProvider()
  using _ = createNetwork({ [payments.host]: payments.remote })
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

import { expect, test } from "vitest"

import { bind } from "../testing/browser.ts"
import { createPerson, password } from "../testing/person.ts"
import { openShop } from "./testing/checkout.ts"

/* What becomes of a result, or of an account that is gone, when one of several payments goes back. */

test("a result that two payments have paid for locks when both are back", async () => {
  const { provider, network, deliver, paymentId, result, checkout } = await openShop()
  using _ = network
  const first = await paymentId()
  await deliver(provider.expire(first))
  const second = await paymentId()
  await deliver(provider.pay(second))
  await deliver(provider.pay(first))
  expect(await result()).toMatchObject({ unlocked: true, paymentId: second })
  await deliver(provider.refund(second))
  expect(await result()).toMatchObject({ unlocked: true, paymentId: first })
  expect((await checkout()).body).toMatchObject({ code: "ALREADY_UNLOCKED" })
  await deliver(provider.refund(first))
  expect(await result()).toMatchObject({ unlocked: false, paymentId: null })
})

test("what is told again of money that is back ends no other checkout", async () => {
  const { provider, network, deliver, paymentId, result, checkout } = await openShop()
  using _ = network
  const first = await paymentId()
  await deliver(provider.pay(first))
  await deliver(provider.refund(first))
  const second = await paymentId()
  await deliver(provider.event("checkout.session.completed", first))
  expect(provider.expired).toEqual([])
  expect((await checkout()).body).toMatchObject({ paymentId: second })
  await deliver(provider.pay(second))
  expect(await result()).toMatchObject({ unlocked: true, paymentId: second })
})

test("money of a deleted account that goes back is listed for the operator, once", async () => {
  const { provider, network, deliver, paymentId, person } = await openShop()
  using _ = network
  const owner = await createPerson(bind(), "owner")
  const id = await paymentId()
  await deliver(provider.pay(id))
  const deleted = await person.browser.post("/api/auth/delete-user", { password })
  expect(deleted.status).toBe(200)
  const listed = async () => {
    const { body } = await owner.get("listAuditEntries?action=reverse_payment&limit=100")
    const items = body["items"] as { subjectId: string | null; detail: string }[]
    return items.flatMap(({ subjectId, detail }) =>
      detail.startsWith(id) ? [[subjectId, detail.slice(id.length + 1)]] : [],
    )
  }
  await deliver(provider.dispute(id, "needs_response"))
  await deliver(provider.dispute(id, "needs_response", "updated"))
  expect(await listed()).toEqual([[null, "disputed"]])
  await deliver(provider.dispute(id, "lost", "closed"))
  await deliver(provider.refund(id))
  expect(await listed()).toEqual([
    [null, "refunded"],
    [null, "disputed"],
  ])
})

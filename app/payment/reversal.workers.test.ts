import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind } from "../testing/browser.ts"
import { stopClock } from "../testing/clock.ts"
import { createPerson, password } from "../testing/person.ts"
import { createSeededRandom } from "../testing/seeded-random.ts"
import { openShop } from "./testing/checkout.ts"

async function openPaid() {
  const shop = await openShop()
  const id = await shop.paymentId()
  await shop.deliver(shop.provider.pay(id))
  const statusOf = async (paymentId = id) =>
    (await shop.person.post("verifyPayment", { paymentId })).body["status"]
  const entries = async () => {
    const { results } = await env.DB.prepare(
      "select detail from audit_entry where action = 'reverse_payment' and detail like ? order by rowid",
    )
      .bind(`${id} %`)
      .all<{ detail: string }>()
    return results.map(({ detail }) => detail.split(" ")[1])
  }
  const unlocks = async () =>
    (await shop.person.post("unlockDeepInsights", { resultId: shop.resultId, paymentId: id }))
      .status
  return { ...shop, id, statusOf, entries, unlocks }
}

test("a refund of all of it locks the result, which can be bought again", async () => {
  const { provider, deliver, id, result, statusOf, entries, unlocks, checkout, paymentId } =
    await openPaid()
  expect((await deliver(provider.refund(id, false))).status).toBe(200)
  expect([await statusOf(), await result()]).toMatchObject(["paid", { unlocked: true }])
  for (let count = 0; count < 2; count += 1) {
    expect((await deliver(provider.refund(id))).status).toBe(200)
    // A repeated or late event sells nothing.
    await deliver(provider.event("checkout.session.completed", id))
    expect([await statusOf(), await result()]).toMatchObject([
      "refunded",
      { unlocked: false, deepInsights: null },
    ])
    expect(await unlocks()).toBe(402)
  }
  expect(await entries()).toEqual(["refunded"])
  const next = await paymentId()
  expect(next).not.toBe(id)
  await deliver(provider.pay(next))
  expect(await result()).toMatchObject({ unlocked: true, paymentId: next })
  await deliver(provider.refund(id))
  expect(await result()).toMatchObject({ unlocked: true, paymentId: next })
  expect((await checkout()).body).toMatchObject({ code: "ALREADY_UNLOCKED" })
})

test("a dispute locks nothing until it is lost, in whatever order its events come", async () => {
  for (const [last, status, isOpen] of [
    ["won", "paid", true],
    ["warning_closed", "paid", true],
    ["lost", "refunded", false],
  ] as const) {
    const { provider, deliver, id, result, statusOf } = await openPaid()
    const created = provider.dispute(id, "needs_response")
    await deliver(created)
    expect([await statusOf(), await result()]).toMatchObject(["disputed", { unlocked: true }])
    await deliver(provider.dispute(id, last, "closed"))
    await deliver(created)
    expect([await statusOf(), await result()]).toMatchObject([status, { unlocked: isOpen }])
  }
})

test("after any twelve events the state is what the provider says", async () => {
  const random = createSeededRandom(38)
  for (let round = 0; round < 10; round += 1) {
    const { provider, deliver, id, result, statusOf, entries } = await openPaid()
    const state = { isRefunded: false, dispute: "" }
    const acts = [
      () => provider.event("checkout.session.completed", id),
      () => provider.event("checkout.session.async_payment_failed", id),
      () => provider.expire(id),
      () => provider.refund(id, false),
      () => provider.dispute(id, (state.dispute = "under_review")),
      () => provider.dispute(id, (state.dispute = "won"), "closed"),
      ...(round % 2 === 0
        ? []
        : [
            () => {
              state.isRefunded = true
              return provider.refund(id)
            },
          ]),
    ]
    for (let count = 0; count < 12; count += 1) {
      const act = random.pick(acts) ?? acts[0]
      expect(act && (await deliver(act())).status).toBe(200)
    }
    const isDisputed = state.dispute === "under_review"
    const expected = state.isRefunded ? "refunded" : isDisputed ? "disputed" : "paid"
    expect([await statusOf(), (await result())["unlocked"]]).toEqual([expected, !state.isRefunded])
    expect((await entries()).filter((action) => action === "refunded").length).toBeLessThan(2)
  }
})

test("reversals of others' money change nothing, and one that cannot be looked up comes again", async () => {
  const { provider, deliver, id, result, statusOf } = await openPaid()
  const { body } = provider.refund(id)
  for (const changes of [
    { payment_intent: "pi_of_another" },
    { payment_intent: null },
    { payment_intent: ["x"] },
    { refunded: "yes" },
  ]) {
    const event = JSON.parse(body) as { id: string; data: { object: object } }
    const forged = JSON.stringify({
      ...event,
      data: { object: { ...event.data.object, ...changes } },
    })
    const headers = { "content-type": "application/json", ...provider.sign(forged) }
    expect((await deliver({ body: forged, headers })).status).toBe(200)
  }
  expect([await statusOf(), await result()]).toMatchObject(["paid", { unlocked: true }])
  provider.goDown()
  expect((await deliver(provider.refund(id))).status).toBe(503)
  provider.goDown(false)
  expect((await deliver(provider.refund(id))).status).toBe(200)
  expect(await statusOf()).toBe("refunded")
})

test("a transfer on its way is a state of its own", async () => {
  const { provider, deliver, paymentId, person, checkout } = await openShop()
  const id = await paymentId()
  const statusOf = async () =>
    (await person.post("verifyPayment", { paymentId: id })).body["status"]
  expect(await statusOf()).toBe("pending")
  await deliver(provider.pay(id, { payment_status: "unpaid" }))
  expect(await statusOf()).toBe("processing")
  const { body } = await person.get("exportData")
  expect(body["payments"]).toMatchObject([{ id, status: "processing" }])
  await deliver(provider.event("checkout.session.async_payment_failed", id))
  expect(await statusOf()).toBe("failed")
  // The result can be bought again.
  const repeated = await checkout()
  expect(repeated.status).toBe(200)
  expect(repeated.body["paymentId"]).not.toBe(id)
})

/* Refunds of one of several payments for a result, or of a deleted account. */

test("a result that two payments have paid for locks when both are back", async () => {
  const { provider, deliver, paymentId, result, checkout } = await openShop()
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
  const { provider, deliver, paymentId, result, checkout } = await openShop()
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
  const { provider, deliver, paymentId, person } = await openShop()
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

test("while a transfer is pending the result is not sold again, and it unlocks when the money arrives", async () => {
  using _clock = stopClock()
  const { provider, checkout, paymentId, deliver, result, person } = await openShop()
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

test("what unlocks a result ends its other checkout, and what is paid for it besides is listed", async () => {
  using _clock = stopClock()
  const { provider, paymentId, deliver, result } = await openShop()
  const first = await paymentId()
  vi.setSystemTime(Date.now() + 61 * 60_000)
  const second = await paymentId()
  expect(second).not.toBe(first)
  await deliver(provider.pay(first))
  expect(await result()).toMatchObject({ unlocked: true, paymentId: first })
  expect(provider.expired).toEqual([second])
  // Its page was open already.
  for (let count = 0; count < 2; count += 1) {
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
  const { paymentId, person } = await openShop()
  const { body: paid } = await person.post("verifyPayment", { paymentId: await paymentId() })
  const { amount, currency } = paid
  expect((await person.get("settings")).body).toMatchObject({
    prices: { deepInsights: { amount, currency } },
  })
})

import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

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
  const {
    provider,
    network,
    deliver,
    id,
    result,
    statusOf,
    entries,
    unlocks,
    checkout,
    paymentId,
  } = await openPaid()
  using _ = network
  expect((await deliver(provider.refund(id, false))).status).toBe(200)
  expect([await statusOf(), await result()]).toMatchObject(["paid", { unlocked: true }])
  for (let count = 0; count < 2; count += 1) {
    expect((await deliver(provider.refund(id))).status).toBe(200)
    // What is told again, late or by the member, sells nothing.
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
    const { provider, network, deliver, id, result, statusOf } = await openPaid()
    using _ = network
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
    const { provider, network, deliver, id, result, statusOf, entries } = await openPaid()
    using _ = network
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
    expect((await entries()).filter((one) => one === "refunded").length).toBeLessThan(2)
  }
})

test("reversals of others' money change nothing, and one that cannot be looked up comes again", async () => {
  const { provider, network, deliver, id, result, statusOf } = await openPaid()
  using _ = network
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
  const { provider, network, deliver, paymentId, person } = await openShop()
  using _ = network
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
})

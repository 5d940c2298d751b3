import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind } from "../testing/browser.ts"
import { withinMinute } from "../testing/clock.ts"
import { createInterruptedDatabase } from "../testing/interrupted-database.ts"
import { createPerson, password } from "../testing/person.ts"
import { openShop } from "./testing/checkout.ts"

/** A member with a result, and an owner, who reads what was not acted on. */
async function setUp() {
  const { database: DB, interrupt } = createInterruptedDatabase()
  const shop = await openShop({ DB })
  const owner = await createPerson(shop.bound, "owner")
  const { browser } = shop.person
  return {
    ...shop,
    interrupt,
    deliver: async (...event: Parameters<typeof shop.deliver>) =>
      (await shop.deliver(...event)).status,
    deleteAccount: async () => (await browser.post("/api/auth/delete-user", { password })).status,
    kept: async () => {
      const { results } = await env.DB.prepare(
        "select id, amount, currency from kept_payment order by paid_at desc",
      ).all()
      return results
    },
    /** Returns the payments that the owner sees in the log. */
    unmatched: async () => {
      const { body: page } = await owner.get("listAuditEntries?action=payment_unmatched&limit=100")
      const items = page["items"] as { subjectId: string | null; detail: string }[]
      return items.map(({ detail }) => detail)
    },
  }
}

test("A8: an account that is deleted with its checkout open keeps the record of the money", async () => {
  const set = await setUp()
  const id = await set.paymentId()
  expect(await set.deleteAccount()).toBe(200)
  // The page at the provider has ended; but the member had just paid.
  await vi.waitFor(() => expect(set.provider.expired).toEqual([id]))
  expect(await set.deliver(set.provider.pay(id))).toBe(200)
  expect(await set.kept()).toContainEqual({ id, amount: 499, currency: "eur" })
  const remaining = await env.DB.prepare("select id from kept_checkout where id = ?")
    .bind(id)
    .first()
  expect(remaining).toBeNull()
  // However often it is said, and whatever of another amount comes besides.
  expect(await set.deliver(set.provider.pay(id))).toBe(200)
  expect((await set.kept()).filter((row) => row["id"] === id)).toHaveLength(1)
  expect(await set.unmatched()).toEqual([])
})

test("a deletion ends well while the payment provider is down, and keeps what may still be paid", async () => {
  const set = await setUp()
  const id = await set.paymentId()
  set.provider.goDown()
  expect(await set.deleteAccount()).toBe(200)
  set.provider.goDown(false)
  expect(await set.deliver(set.provider.pay(id))).toBe(200)
  expect(await set.kept()).toContainEqual({ id, amount: 499, currency: "eur" })
})

test("a checkout that opens while its account is deleted is expired, and its money has a record", async () => {
  const set = await setUp()
  set.interrupt(/update "payment" set "session_id"/, () => set.deleteAccount())
  expect((await set.checkout()).status).toBe(401)
  const [id = ""] = set.provider.expired
  expect(id).toMatch(/^payment_/)
  expect(await set.deliver(set.provider.pay(id))).toBe(200)
  expect(await set.kept()).toContainEqual({ id, amount: 499, currency: "eur" })
})

test("A18: money of another amount or currency is logged, and listed for the owner once", async () => {
  const set = await setUp()
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {})
  using _ = { [Symbol.dispose]: () => warned.mockRestore() }
  const id = await set.paymentId()
  const paid = { status: "complete", payment_status: "paid" } as const
  for (const changes of [{ amount_total: 599 }, { currency: "usd" }]) {
    const event = set.provider.event("checkout.session.completed", id, { ...paid, ...changes })
    expect(await set.deliver(event)).toBe(200)
    expect(await set.deliver(event)).toBe(200)
  }
  const session = set.provider.sessionIdOf(id)
  expect((await set.unmatched()).toSorted()).toEqual([
    `${id} ${session} 499 usd`,
    `${id} ${session} 599 eur`,
  ])
  const lines = warned.mock.calls.map(([line]) => JSON.parse(String(line)) as { event: string })
  expect(lines.filter(({ event }) => event === "payment.unmatched")).toMatchObject([
    { payment: id, session, amount: 599, currency: "eur" },
    { payment: id, session, amount: 499, currency: "usd" },
  ])
  // The page after the payment learns it as well, and says nothing twice.
  set.provider.pay(id, { amount_total: 599 })
  const verified = await set.person.post("verifyPayment", { paymentId: id })
  expect(verified.body).toMatchObject({ status: "pending" })
  expect(await set.unmatched()).toHaveLength(2)
})

test("A23: a checkout of another member's result changes nothing", async () => {
  const set = await setUp()
  const id = await set.paymentId()
  await env.DB.prepare("update payment set expires_at = 1 where id = ?").bind(id).run()
  const stranger = await createPerson(bind(set.provider.bindings))
  const refused = await stranger.post("createCheckout", { resultId: set.resultId })
  expect(refused.status).toBe(404)
  const row = await env.DB.prepare("select status from payment where id = ?").bind(id).first()
  expect(row).toEqual({ status: "pending" })
})

test("A48: two checkouts at once of an account that is deleted meanwhile keep one record, and fail neither", async () => {
  const set = await setUp()
  const statuses: number[] = []
  let id = ""
  set.interrupt(/update "payment" set "session_id"/, async () => {
    const { body } = await set.checkout()
    id = String(body["paymentId"])
    statuses.push(await set.deleteAccount(), await set.deliver(set.provider.pay(id)))
  })
  expect((await set.checkout()).status).toBe(401)
  // A repeated event adds nothing: the other checkout recorded the second possible payment.
  statuses.push(await set.deliver(set.provider.pay(id)), await set.deliver(set.provider.pay(id)))
  expect(statuses).toEqual([200, 200, 200, 200])
  expect((await set.kept()).filter((row) => row["id"] === id)).toHaveLength(1)
})

test("A49: a deletion right before the money is told, or right after, keeps its record", async () => {
  const set = await setUp()
  const id = await set.paymentId()
  const statuses: number[] = []
  set.interrupt(/insert into "payment_event"/, async () => {
    statuses.push(await set.deleteAccount())
  })
  const event = set.provider.pay(id)
  expect([await set.deliver(event), statuses]).toEqual([200, [200]])
  expect(await set.kept()).toContainEqual({ id, amount: 499, currency: "eur" })

  const next = await setUp()
  const paid = await next.paymentId()
  next.interrupt(/insert into "kept_payment"/, async () => {
    statuses.push(await next.deliver(next.provider.pay(paid)))
  })
  expect([await next.deleteAccount(), statuses]).toEqual([200, [200, 200]])
  expect(await next.kept()).toContainEqual({ id: paid, amount: 499, currency: "eur" })
  expect(await next.unmatched()).not.toContainEqual(expect.stringContaining(paid))
})

test("A50: however often a member asks about a payment, its provider is asked ten times a minute", async () => {
  const set = await setUp()
  const paymentId = await set.paymentId()
  const before = set.requests.length
  await withinMinute(async () => {
    set.requests.length = before
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => set.person.post("verifyPayment", { paymentId })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
  expect(set.requests.length - before).toBeLessThanOrEqual(10)
})

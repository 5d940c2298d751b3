import { expect, test, vi } from "vitest"

import { ask } from "../testing/sandbox-process.ts"
import {
  authorization,
  openPayment,
  order,
  poll,
  Session,
  startHere,
  startProcess,
} from "./testing/open-payment.ts"

test("a checkout is opened, paid on its page and reported by a signed webhook", async () => {
  await using set = await openPayment(startHere)
  const session = await set.checkout("one")
  expect(session.url).toBe(`${set.url}/pay/${session.id}`)
  const { text: pageText, headers } = await ask(String(session.url))
  expect(pageText).toContain("€4.99")
  expect(pageText).toContain("Deep &lt;insights&gt;")
  expect(pageText).not.toContain("<script")
  expect(headers["content-security-policy"]).toContain("form-action 'self' http://localhost:5173;")

  expect(await set.press(session, "pay")).toMatchObject({
    status: 303,
    headers: { location: order.success_url },
  })
  await expect.poll(set.service.types, poll).toEqual(["checkout.session.completed"])
  const paid = { status: "complete", payment_status: "paid", client_reference_id: "payment_1" }
  expect(set.service.events[0]?.data.object).toMatchObject({ ...paid, id: session.id })
  expect(await set.read(session.id)).toMatchObject(paid)
  expect((await set.press(session, "pay")).status).toBe(400)
})

test("an idempotency key returns the same session and is rejected for another order", async () => {
  await using set = await openPayment(startHere)
  const [first, two] = await Promise.all([set.open("key"), set.open("key")])
  expect(first?.json).toEqual(two?.json)
  const another = await set.open("key", { "line_items[0][price_data][unit_amount]": "1" })
  expect(another).toMatchObject({ status: 400, text: expect.stringContaining("another order") })
  expect((await set.open("wrong", { unknown_field: "x" })).status).toBe(400)
  expect(
    (await ask(`${set.url}/v1/checkout/sessions`, { body: new URLSearchParams(order) })).status,
  ).toBe(401)
})

test("cancelling leads back and leaves the session open until it expires", async () => {
  await using set = await openPayment(startHere)
  const session = await set.checkout("one")
  expect(await set.press(session, "cancel")).toMatchObject({
    headers: { location: order.cancel_url },
  })
  expect(await set.read(session.id)).toMatchObject({ status: "open" })
  const now = Math.floor(Date.now() / 1000)
  for (const seconds of [-60, 29 * 60, 25 * 60 * 60]) {
    const refused = await set.open("late", { expires_at: String(now + seconds) })
    expect([seconds, refused.status]).toEqual([seconds, 400])
  }
  const { json } = await set.open("late", { expires_at: String(now + 60 * 60) })
  const late = Session.parse(json)
  {
    vi.useFakeTimers({ toFake: ["Date"] })
    using _ = { [Symbol.dispose]: () => vi.useRealTimers() }
    vi.setSystemTime((now + 2 * 60 * 60) * 1000)
    expect(await set.read(late.id)).toMatchObject({ status: "expired", url: null })
  }
  expect((await ask(`${set.url}/pay/${late.id}`)).text).toContain("expired")
  await expect.poll(set.service.types, poll).toEqual(["checkout.session.expired"])
})

test("every event arrives although webhooks are repeated, lost, reversed and rejected", async () => {
  await using set = await openPayment(startHere)
  await set.faults({ repeat: 2 })
  await set.press(await set.checkout("repeated"), "pay")
  await expect.poll(() => set.service.events.length, poll).toBe(3)
  expect(new Set(set.service.events.map(({ id }) => id)).size).toBe(1)

  await set.faults({ lose: 1 })
  await set.press(await set.checkout("lost"), "pay")
  await expect.poll(() => set.service.events.length, poll).toBe(4)
  // The service has an event before the sandbox knows that it was accepted.
  await expect
    .poll(async () => (await set.askAsOwner("/local/deliveries")).json, poll)
    .toMatchObject({ deliveries: [{ attempts: 2, outcome: "taken" }, { attempts: 1 }] })

  set.service.state.reject = 1
  await set.press(await set.checkout("rejected"), "pay")
  await expect.poll(() => set.service.events.length, poll).toBe(5)

  await set.faults({ reverse: 2 })
  const promised = await set.checkout("promised")
  await set.press(promised, "promise")
  expect(await set.read(promised.id)).toMatchObject({
    status: "complete",
    payment_status: "unpaid",
  })
  const page = /"page":"([^"]+)"/.exec((await set.askAsOwner("/local/status")).text)?.[1]
  const arrive = `${set.url}${page}/${promised.id}/arrive`
  expect((await ask(arrive, { method: "POST" })).status).toBe(303)
  await expect
    .poll(() => set.service.types().slice(5), poll)
    .toEqual(["checkout.session.async_payment_succeeded", "checkout.session.completed"])

  await set.faults({ down: true })
  expect((await set.open("down")).status).toBe(500)
  await set.faults({})
  expect((await set.open("down")).status).toBe(200)
})

test("kill -9 loses no session and no event", async () => {
  await using set = await openPayment(startProcess)
  await set.faults({ delay: 60_000 })
  const session = await set.checkout("one")
  await set.press(session, "pay")
  expect(set.service.events).toEqual([])
  await set.restart()
  await expect.poll(set.service.types, poll).toEqual(["checkout.session.completed"])
  expect(await set.read(session.id)).toMatchObject({ payment_status: "paid" })
})

test("a page of another origin and a rebound name are rejected", async () => {
  await using set = await openPayment(startHere)
  const session = await set.checkout("one")
  const foreign = [{ host: "evil.test" }, { origin: "http://localhost:5173" }, { origin: "null" }]
  for (const headers of foreign) {
    expect((await ask(String(session.url), { headers })).status).toBe(403)
    expect((await ask(`${session.url}/pay`, { method: "POST", headers })).status).toBe(403)
  }
  expect((await ask(`${set.url}/local/deliveries`)).status).toBe(400)
  expect(await set.read(session.id)).toMatchObject({ status: "open" })
})

test("M6: a version of the API without its name is refused, as Stripe does", async () => {
  await using set = await openPayment(startHere)
  const { id } = await set.checkout("one")
  const statusOf = async (version: string) => {
    const headers = { authorization, "stripe-version": version }
    return (await ask(`${set.url}/v1/checkout/sessions/${id}`, { headers })).status
  }
  for (const version of ["2026-06-24", "dahlia", "2026-06-24.", "2024-06-20.acacia"]) {
    expect([version, await statusOf(version)]).toEqual([version, 400])
  }
  for (const version of ["2026-06-24.dahlia", "2024-06-20"]) {
    expect([version, await statusOf(version)]).toEqual([version, 200])
  }
})

test("money that was paid goes back by a refund or a dispute, which the provider can be asked about", async () => {
  await using set = await openPayment(startHere)
  const statusOf = async (path: string) =>
    (await ask(`${set.url}/v1/${path}`, { headers: { authorization } })).json
  const page = /"page":"([^"]+)"/.exec((await set.askAsOwner("/local/status")).text)?.[1]
  const press = async (id: string, act: string) =>
    (await ask(`${set.url}${page}/${id}/${act}`, { method: "POST" })).status
  const [refunded, lost] = [await set.checkout("refunded"), await set.checkout("lost")]
  expect(await press(refunded.id, "refund")).toBe(400)
  for (const session of [refunded, lost]) await set.press(session, "pay")
  expect(await press(refunded.id, "refund")).toBe(303)
  const payment_intent = `pi_${refunded.id.replaceAll(/\W/g, "")}`
  expect(await statusOf(`checkout/sessions?payment_intent=${payment_intent}`)).toMatchObject({
    data: [{ id: refunded.id }],
  })
  expect(await statusOf("checkout/sessions?payment_intent=pi_of_another")).toMatchObject({
    data: [],
  })
  await expect.poll(() => set.service.events.length, poll).toBe(3)
  const charge = { object: "charge", payment_intent, refunded: true, amount_refunded: 499 }
  expect(set.service.events.at(-1)).toMatchObject({
    type: "charge.refunded",
    data: { object: charge },
  })
  for (const [act, status] of [
    ["dispute", "needs_response"],
    ["lose", "lost"],
  ] as const) {
    expect(await press(lost.id, act)).toBe(303)
    const dispute = `dp_pi_${lost.id.replaceAll(/\W/g, "")}`
    expect(await statusOf(`disputes/${dispute}`)).toMatchObject({ id: dispute, status })
  }
  await expect
    .poll(() => set.service.types().slice(3), poll)
    .toEqual(["charge.dispute.created", "charge.dispute.closed"])
})

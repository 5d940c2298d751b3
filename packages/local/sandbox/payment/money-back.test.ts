import { expect, test } from "vitest"

import { ask } from "../testing/sandbox-process.ts"
import { authorization, openPayment, poll, startHere } from "./testing/open-payment.ts"

test("money that was paid goes back by a refund or a dispute, which the provider can be asked about", async () => {
  await using set = await openPayment(startHere)
  const asked = async (path: string) =>
    (await ask(`${set.url}/v1/${path}`, { headers: { authorization } })).json
  const page = /"page":"([^"]+)"/.exec((await set.askAsOwner("/local/status")).text)?.[1]
  const press = async (id: string, act: string) =>
    (await ask(`${set.url}${page}/${id}/${act}`, { method: "POST" })).status
  const [refunded, lost] = [await set.checkout("refunded"), await set.checkout("lost")]
  expect(await press(refunded.id, "refund")).toBe(400)
  for (const session of [refunded, lost]) await set.press(session, "pay")
  expect(await press(refunded.id, "refund")).toBe(303)
  const payment_intent = `pi_${refunded.id.replaceAll(/\W/g, "")}`
  expect(await asked(`checkout/sessions?payment_intent=${payment_intent}`)).toMatchObject({
    data: [{ id: refunded.id }],
  })
  expect(await asked("checkout/sessions?payment_intent=pi_of_another")).toMatchObject({ data: [] })
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
    expect(await asked(`disputes/${dispute}`)).toMatchObject({ id: dispute, status })
  }
  await expect
    .poll(() => set.service.types().slice(3), poll)
    .toEqual(["charge.dispute.created", "charge.dispute.closed"])
})

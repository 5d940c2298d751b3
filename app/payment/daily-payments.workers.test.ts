import { expect, test, vi } from "vitest"

import { stopClock } from "../testing/clock.ts"
import { dailyPayments } from "./payment.table.ts"
import { openShop } from "./testing/checkout.ts"

test("a member begins twenty payments a day", async () => {
  using _clock = stopClock()
  const { network, checkout } = await openShop()
  using _ = network
  const statuses: number[] = []
  for (let count = 0; count < 22; count += 1) {
    statuses.push((await checkout()).status)
    vi.setSystemTime(Date.now() + 61 * 60_000)
  }
  // The first ones are of the day before by then.
  expect(statuses.slice(0, dailyPayments)).toEqual(statuses.slice(0, dailyPayments).map(() => 200))
  expect(statuses.slice(dailyPayments)).toEqual([429, 429])
  vi.setSystemTime(Date.now() + 5 * 60 * 60_000)
  expect((await checkout()).status).toBe(200)
})

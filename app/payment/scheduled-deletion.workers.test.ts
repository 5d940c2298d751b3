import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../testing/browser.ts"
import { deleteByRun } from "../testing/due-deletion.ts"
import { createNetwork } from "../testing/network.ts"
import { createPaymentProvider } from "../testing/payment-provider.ts"
import { createPerson } from "../testing/person.ts"
import { payment } from "./testing/payment.ts"

test("what was paid is kept of an account that the hourly run deletes", async () => {
  const payments = createPaymentProvider()
  createNetwork({ [payments.host]: payments.remote })
  const person = await createPerson(bind(payments.bindings))
  await payment.collect?.(person)
  const pay = "update payment set status = 'paid', paid_at = 9e12 where user_id = ?"
  await env.DB.prepare(pay).bind(person.id).run()
  const count = (table: string) =>
    env.DB.prepare(`select count(*) as n from ${table}`).first<number>("n")
  const paid = await count("payment")
  expect(paid).toBeGreaterThan(0)
  expect(await deleteByRun(person.id)).toBeNull()
  expect([await count("payment"), await count("kept_payment")]).toEqual([0, paid])
})

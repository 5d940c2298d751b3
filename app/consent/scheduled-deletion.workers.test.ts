import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../testing/browser.ts"
import { deleteByRun } from "../testing/due-deletion.ts"
import { createPerson } from "../testing/person.ts"
import { consent } from "./testing/consent.ts"

test("what was agreed to is kept of an account that the hourly run deletes", async () => {
  const person = await createPerson(bind())
  await consent.collect?.(person)
  const count = (table: string) =>
    env.DB.prepare(`select count(*) as n from ${table}`).first<number>("n")
  const given = await count("consent")
  expect(given).toBeGreaterThan(0)
  expect(await deleteByRun(person.id)).toBeNull()
  expect([await count("consent"), await count("kept_consent")]).toEqual([0, given])
})

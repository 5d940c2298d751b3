import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { createPerson } from "../../testing/person.ts"
import { sweep } from "../sweep/sweep.ts"

const migration = env.TEST_MIGRATIONS.find(({ name }) => name.includes("unproven_of_providers"))

test("addresses that a provider without authority had verified are unproven, and their accounts stay", async () => {
  const people = [await createPerson(), await createPerson(), await createPerson()]
  const [opened, proven, waiting] = people
  const set = "update user set email_verified = ?, unproven_since = ? where id = ?"
  await env.DB.batch([
    env.DB.prepare(set).bind(1, 1, opened?.id),
    env.DB.prepare(set).bind(1, null, proven?.id),
    env.DB.prepare(set).bind(0, Date.now(), waiting?.id),
    env.DB.prepare("delete from session"),
    ...(migration?.queries ?? []).map((sql) => env.DB.prepare(sql)),
  ])
  await sweep(env.DB, new Date())
  const rows = people.map(({ id }) =>
    env.DB.prepare(
      "select email_verified as v, unproven_since is not null as u from user where id = ?",
    )
      .bind(id)
      .first(),
  )
  expect(await Promise.all(rows)).toEqual([
    { v: 0, u: 0 },
    { v: 1, u: 0 },
    { v: 0, u: 1 },
  ])
})

import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { createPerson } from "../../../testing/person.ts"

const minute = 60 * 1000

/** As a version inserts it that knows no factor. */
function insert(userId: string, createdAt: number) {
  return env.DB.prepare(
    `insert into session (id, user_id, token, expires_at, created_at, updated_at)
     values (?1, ?2, ?1, ?3, ?4, ?4)`,
  ).bind(crypto.randomUUID(), userId, createdAt + 1000 * minute, createdAt)
}

test("a version that knows no factor opens no session of an account that has one, and its batch writes nothing", async () => {
  const { id } = await createPerson()
  const since = Date.now() - 10 * minute
  const on = env.DB.prepare("update user set second_factor_since = ? where id = ?").bind(since, id)
  await insert(id, Date.now()).run()
  await on.run()
  const batch = [
    env.DB.prepare("update user set name = 'changed' where id = ?").bind(id),
    insert(id, Date.now()),
  ]
  await expect(env.DB.batch(batch)).rejects.toThrow("asks for a second factor")
  const name = env.DB.prepare("select name from user where id = ?").bind(id)
  expect(await name.first("name")).not.toBe("changed")
})

test("a restore of the database inserts sessions from before the factor, and those that were shown it", async () => {
  const { id } = await createPerson()
  const since = Date.now() - 10 * minute
  const on = env.DB.prepare("update user set second_factor_since = ? where id = ?").bind(since, id)
  await on.run()
  await insert(id, since - 2 * minute).run()
  await env.DB.prepare(
    `insert into session (id, user_id, token, expires_at, created_at, updated_at, factor, proven_at)
     values (?1, ?2, ?1, ?3, ?4, ?4, 'totp', ?4)`,
  )
    .bind(crypto.randomUUID(), id, Date.now() + minute, Date.now())
    .run()
  const sessions = env.DB.prepare("select count(*) as n from session where user_id = ?").bind(id)
  expect(await sessions.first("n")).toBe(3)
})

import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { nouns } from "../../testing/nouns.ts"
import { createPerson } from "../../testing/person.ts"

function times<Value>(count: number, make: () => Promise<Value>) {
  return Promise.all(Array.from({ length: count }, make))
}

test("A38: acts on one member at the same time are each recorded once, if they change something", async () => {
  const [owner, member] = [await createPerson(undefined, "owner"), await createPerson()]
  const userId = member.id
  const answers = await Promise.all([
    times(4, () => owner.post("grantPremium", { userId, until: null })),
    times(4, () => owner.post("revokePremium", { userId })),
    times(4, () => owner.post("makeUserAdmin", { userId })),
  ])
  expect(new Set(answers.flat().map(({ status }) => status))).toEqual(new Set([200]))
  const { results } = await env.DB.prepare(
    "select action, count(*) as n from audit_entry where subject_id = ? group by action",
  )
    .bind(userId)
    .all<{ action: string; n: number }>()
  const counted = new Map(results.map(({ action, n }) => [action, n]))
  expect(counted.get("change_role")).toBe(1)
  expect(counted.get("grant_premium")).toBe(4)
  expect(counted.get("revoke_premium") ?? 0).toBeLessThanOrEqual(4)
  const row = await env.DB.prepare("select role from user where id = ?").bind(userId).first()
  expect(row).toEqual({ role: "admin" })
})

test.each([
  ...nouns.flatMap(({ inserts }) => inserts),
  ["updateProfile", { name: "Bo" }, /update "user"/],
])(
  "A22: %s of an account that is deleted meanwhile answers as to nobody",
  async (name, body, at) => {
    const { database: DB, interrupt } = createInterruptedDatabase()
    const person = await createPerson(bind({ DB }))
    interrupt(at, () => env.DB.prepare("delete from user where id = ?").bind(person.id).run())
    expect(await person.post(name, body)).toMatchObject({
      status: 401,
      body: { code: "UNAUTHORIZED" },
    })
  },
)

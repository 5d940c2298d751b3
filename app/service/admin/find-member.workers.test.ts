import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { createPerson } from "../../testing/person.ts"

test("an admin finds a member by an address or how it begins, whatever its case", async () => {
  const [member, admin] = [await createPerson(), await createPerson(bind(), "admin")]
  const addresses = ["c", "a", "b"].map((part) => `find-me-${part}@example.com`)
  for (const [at, email] of addresses.entries()) {
    await env.DB.prepare(
      "insert into user (id, email, name, created_at, updated_at) values (?, ?, 'x', ?, 0)",
    )
      .bind(`user_found${at}`, email, at)
      .run()
  }
  const find = async (query: string) => {
    const { body } = await admin.get(`listUsers?${query}`)
    const items = JSON.parse(JSON.stringify(body["items"])) as { email: string }[]
    return { found: items.map(({ email }) => email), next: body["nextCursor"] }
  }
  expect(await find(`email=${member.email.toUpperCase()}`)).toEqual({
    found: [member.email],
    next: null,
  })
  const first = await find("email=%20Find-Me-&limit=2")
  expect(first.found).toEqual(addresses.toSorted().slice(0, 2))
  // One that goes meanwhile ends no list.
  await env.DB.prepare("delete from user where email = ?").bind(first.found[1]).run()
  const next = `cursor=${String(first.next)}`
  expect(await find(`email=find-me-&limit=2&${next}`)).toEqual({
    found: addresses.toSorted().slice(2),
    next: null,
  })
  // A front end that keeps the cursor of another search.
  expect((await find(`email=find-you&${next}`)).found).toEqual([])
  expect((await find("email=find_me")).found).toEqual([])
  expect((await find("email=%25")).found).toEqual([])
  expect((await admin.get("listUsers?email=%20")).status).toBe(400)
  expect((await member.get("listUsers?email=find-me-")).status).toBe(403)
})

test("an admin finds a member by id, whoever has the address or cursor beside it", async () => {
  const [member, admin] = [await createPerson(), await createPerson(bind(), "admin")]
  const find = async (query: string) => (await admin.get(`listUsers?${query}`)).body
  const found = { items: [expect.objectContaining({ id: member.id })], nextCursor: null }
  expect(await find(`id=${member.id}`)).toEqual(found)
  expect(await find(`id=${member.id}&email=nobody&limit=1&cursor=MS5hYmM`)).toEqual(found)
  expect(await find("id=user_0")).toEqual({ items: [], nextCursor: null })
  expect((await member.get(`listUsers?id=${member.id}`)).status).toBe(403)
})

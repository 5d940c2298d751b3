import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../testing/browser.ts"
import { createPerson, password } from "../../testing/person.ts"

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

test("one search finds a member by name, last name, address, former address or id", async () => {
  const [member, admin] = [await createPerson(), await createPerson(bind(), "admin")]
  const name = "Gräfin Ada Quillfeather"
  await env.DB.batch([
    env.DB.prepare("update user set name = ? where id = ?").bind(name, member.id),
    env.DB.prepare(
      "insert into former_address (id, user_id, email, until) values (?, ?, ?, 9e12)",
    ).bind(member.id, member.id, `old-${member.email}`),
  ])
  const find = async (search: string) => {
    const { body } = await admin.get(`listUsers?search=${encodeURIComponent(search)}`)
    const items = JSON.parse(JSON.stringify(body["items"])) as { id: string }[]
    return items.map(({ id }) => id)
  }
  const ways = [
    "gräf",
    "quill",
    "QUILLFEATHER",
    name,
    member.email,
    `old-${member.email}`,
    member.id,
  ]
  for (const search of ways) expect([search, await find(search)]).toEqual([search, [member.id]])
  expect(await find("ada quill")).toEqual([])
  expect(await find("%")).toEqual([])
  expect((await admin.get("listUsers?search=%20")).status).toBe(400)
  expect((await member.get("listUsers?search=quill")).status).toBe(403)
  // As many as a page has, in the order of names.
  await env.DB.prepare(
    `with recursive n (i) as (select 0 union all select i + 1 from n where i < 9)
     insert into user (id, email, name, created_at, updated_at)
     select ?1 || i, ?1 || i || '@example.com', 'Zq' || (9 - i) || ' Zq', 0, 0 from n`,
  )
    .bind("user_zq")
    .run()
  const { body } = await admin.get("listUsers?search=zq&limit=3")
  expect(body).toMatchObject({ items: [{ name: "Zq0 Zq" }, {}, {}], nextCursor: null })
})

test("the audit log names who did it and to whom, and forgets no id of a deleted account", async () => {
  const [member, admin] = [await createPerson(), await createPerson(bind(), "admin")]
  await admin.post("grantPremium", { userId: member.id, until: null })
  const read = async (query: string) =>
    (await admin.get(`listAuditEntries?action=grant_premium&${query}`)).body["items"]
  const entry = { actorId: admin.id, subjectId: member.id }
  const actor = { email: admin.email, role: "admin" }
  for (const query of [
    `subjectId=${member.id}`,
    `subjectId=${member.email.toUpperCase()}`,
    `actorId=${admin.email}`,
  ]) {
    expect(await read(query)).toMatchObject([
      { ...entry, actor, subject: { email: member.email, role: "member" }, how: "admin" },
    ])
  }
  expect(await read("subjectId=nobody@example.com")).toEqual([])
  await member.browser.post("/api/auth/delete-user", { password })
  expect(await read(`subjectId=${member.id}`)).toMatchObject([{ ...entry, actor, subject: null }])
  const { results } = await env.DB.prepare(
    "select 1 from audit_entry where subject_id like '%@%'",
  ).all()
  expect(results).toEqual([])
})

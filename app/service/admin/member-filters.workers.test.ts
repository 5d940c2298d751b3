import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import * as z from "zod"

import { bind, createBrowser } from "../../testing/browser.ts"
import { mail, openMailbox } from "../../testing/mailbox.ts"
import { createPerson, password, type Person } from "../../testing/person.ts"

const Page = z.object({
  items: z.array(z.looseObject({ id: z.string() })),
  nextCursor: z.string().nullable(),
})

/** Ids of all pages of the list. */
async function listAll({ get }: Person, query: string) {
  const ids: string[] = []
  let cursor = ""
  do {
    const page = Page.parse((await get(`listUsers?${query}${cursor}`)).body)
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`
  } while (cursor !== "")
  return ids
}

function change(id: string, set: string) {
  return env.DB.prepare(`update user set ${set} where id = ?`).bind(id).run()
}

test("users are listed by state and role, newest first, in pages, also among those that a search finds", async () => {
  await env.DB.exec("delete from user")
  const admin = await createPerson(undefined, "owner")
  const states: Record<string, string> = {
    plain: "email_verified = 1",
    suspended: "email_verified = 1, suspended_at = 1, suspended_for = 'abuse'",
    doomed: "email_verified = 1, suspended_at = 1, delete_at = 2",
    unverified: "email_verified = 0",
    helper: "email_verified = 1, role = 'admin'",
  }
  const ids: Record<string, string> = { owner: admin.id }
  await change(admin.id, "email_verified = 1, created_at = 1")
  let createdAt = 1
  for (const [name, set] of Object.entries(states)) {
    ids[name] = (await createPerson()).id
    await change(ids[name], `${set}, name = 'Ada ${name}', created_at = ${(createdAt += 1)}`)
  }
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
  const list = async (query: string) => (await listAll(admin, query)).map((id) => names.get(id))
  expect(await list("state=suspended")).toEqual(["doomed", "suspended"])
  expect(await list("state=deletion")).toEqual(["doomed"])
  expect(await list("state=unverified")).toEqual(["unverified"])
  const active = ["helper", "unverified", "plain", "owner"]
  expect(await list("state=active")).toEqual(active)
  expect(await list("role=owner")).toEqual(["owner"])
  expect(await list("role=admin")).toEqual(["helper"])
  expect(await list("role=admin&state=suspended")).toEqual([])
  expect(await list("role=member&state=active&limit=1")).toEqual(["unverified", "plain"])
  expect(await list("state=suspended&limit=1")).toEqual(["doomed", "suspended"])
  expect(await list("search=ada&state=suspended")).toEqual(["doomed", "suspended"])
  expect(await list("search=ada&role=admin")).toEqual(["helper"])
  const byAddress = await list("email=person-&role=member&limit=2")
  expect(new Set(byAddress)).toEqual(new Set(["doomed", "plain", "suspended", "unverified"]))
  expect(await list(`id=${ids["plain"]}&state=suspended`)).toEqual([])
  const page = Page.parse((await admin.get("listUsers?state=deletion")).body)
  expect(Object.keys(page.items[0] ?? {})).toEqual(
    Object.keys(Page.parse((await admin.get("listUsers")).body).items[0] ?? {}),
  )
  expect((await admin.get("listUsers?state=gone")).status).toBe(400)
  expect((await admin.get("listUsers?role=guest")).status).toBe(400)
})

test("where addresses are verified, only members with a verified address are active", async () => {
  openMailbox()
  await env.DB.exec("delete from user")
  const admin = await createPerson(undefined, "owner")
  await createPerson()
  await change(admin.id, "email_verified = 1")
  const browser = createBrowser(bind({ VERIFY_EMAIL: "true", ...mail }))
  await browser.post("/api/auth/sign-in/email", { email: admin.email, password })
  const listed = await browser.get("/api/v1/listUsers?state=active")
  expect(Page.parse(await listed.json()).items.map(({ id }) => id)).toEqual([admin.id])
})

test("a page without matches among a thousand rows has a cursor to the next thousand", async () => {
  await env.DB.exec("delete from user")
  const admin = await createPerson(undefined, "owner")
  await change(admin.id, "email_verified = 1, created_at = 5000000000000")
  await env.DB.exec(
    `insert into user (id, email, email_verified, name, created_at, updated_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
    select 'user_' || i, 'scanned-' || printf('%04d', i) || '@example.com', i > 2, 'Member', i, i from n`.replaceAll(
      "\n",
      " ",
    ),
  )
  for (const order of ["", "&email=scanned-"]) {
    const first = Page.parse((await admin.get(`listUsers?state=unverified${order}`)).body)
    const rest = await listAll(admin, `state=unverified${order}&cursor=${first.nextCursor}`)
    const ids = [...first.items.map(({ id }) => id), ...rest]
    expect(ids).toHaveLength(2)
    expect(new Set(ids)).toEqual(new Set(["user_1", "user_2"]))
    expect(first.nextCursor).not.toBeNull()
  }
})

import { call } from "@orpc/server"
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { servicesOf } from "../../services.ts"
import { bind, createBrowser } from "../../testing/browser.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"
import { createInterruptedDatabase } from "../../testing/interrupted-database.ts"
import { createNetwork } from "../../testing/network.ts"
import { nouns } from "../../testing/nouns.ts"
import { createPaymentProvider } from "../../testing/payment-provider.ts"
import { createPerson } from "../../testing/person.ts"
import { reader } from "./procedures.ts"

const reads = [
  "exportData",
  "getPlanAndUsage",
  "listSecurityEvents",
  ...nouns.flatMap((noun) => noun.reads),
]

test.each(reads)("a read that asks the database once ends with its session: %s", async (path) => {
  const counting = createCountingDatabase(env.DB)
  const person = await createPerson(bind({ DB: counting.database }))
  const ask = async () => {
    let status = 0
    const statements = await counting.during(async () => ({ status } = await person.get(path)))
    return { status, requests: statements.length }
  }
  expect(await ask()).toMatchObject({ status: path.includes("?id") ? 404 : 200, requests: 1 })
  await env.DB.prepare("update session set expires_at = 1 where user_id = ?").bind(person.id).run()
  expect(await ask()).toEqual({ status: 401, requests: 1 })
  await env.DB.prepare("delete from session where user_id = ?").bind(person.id).run()
  expect(await ask()).toEqual({ status: 401, requests: 1 })
  expect((await createBrowser().get(`/api/v1/${path}`)).status).toBe(401)
})

test("a read returns only the caller's rows", async () => {
  const provider = createPaymentProvider()
  createNetwork({ [provider.host]: provider.remote })
  const bound = bind(provider.bindings)
  const [person, neighbour] = [await createPerson(bound), await createPerson(bound)]
  for (const { collect } of nouns) await collect(neighbour)
  await addEvent(neighbour.id)
  const lists = nouns.flatMap((noun) => noun.reads).filter((path) => path.startsWith("list"))
  for (const path of ["listSecurityEvents", ...lists]) {
    expect((await person.get(path)).body["items"]).toEqual([])
    expect((await neighbour.get(path)).body["items"]).not.toEqual([])
  }
})

test("a procedure that answers without asking who calls is refused", async () => {
  const forgetful = reader.handler(() => "anything")
  const services = servicesOf(bind())
  if (services === null) throw new Error("The tests' configuration is in order")
  const context = { services, headers: new Headers() }
  const answer = call(forgetful, undefined, { context })
  await expect(answer).rejects.toThrow("without asking who calls")
})

function addEvent(id: string, detail = "null") {
  const columns = "id, actor_id, subject_id, action, detail, created_at"
  const added = env.DB.prepare(
    `insert into audit_entry (${columns}) values (?, ?, ?, 'sign_in', ${detail}, 1)`,
  )
  return added.bind(crypto.randomUUID(), id, id).run()
}

test("a row that its procedure cannot answer with is 500, and in the log", async () => {
  const person = await createPerson()
  using error = vi.spyOn(console, "error").mockImplementation(() => {})
  await addEvent(person.id, "x'00'")
  const { status, body } = await person.get("listSecurityEvents")
  expect(status).toBe(500)
  expect(body).toMatchObject({ code: "INTERNAL_SERVER_ERROR", message: "Internal server error" })
  const lines = error.mock.calls.map(([line]) => JSON.parse(line))
  expect(lines).toContainEqual(expect.objectContaining({ event: "rpc.failed" }))
})

test("a value that only another version knows is answered as it is", async () => {
  const person = await createPerson()
  await addEvent(person.id)
  for (const { collect } of nouns) await collect(person)
  const listed = nouns.flatMap((noun) => noun.listed ?? [])
  const columns: { table: string; column: string; owner?: string }[] = [
    { table: "audit_entry", column: "action", owner: "subject_id" },
    ...listed,
  ]
  for (const { table, column, owner = "user_id" } of columns) {
    const changed = env.DB.prepare(
      `update ${table} set ${column} = 'of_tomorrow'
       where rowid = (select max(rowid) from ${table} where ${owner} = ?)`,
    )
    expect((await changed.bind(person.id).run()).meta.changes).toBeGreaterThan(0)
  }
  const answers = await Promise.all(
    ["listSecurityEvents", "exportData", ...listed.flatMap(({ path = [] }) => path)].map(
      async (path) => {
        const { status, body } = await person.get(path)
        return [path, status, JSON.stringify(body).includes('"of_tomorrow"')]
      },
    ),
  )
  expect(answers).toEqual(answers.map(([path]) => [path, 200, true]))
})

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
  "A22: %s of an account that is deleted during the request returns UNAUTHORIZED",
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

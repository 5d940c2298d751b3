import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind } from "../../../testing/browser.ts"
import { createCountingDatabase } from "../../../testing/counting-database.ts"
import { nouns } from "../../../testing/nouns.ts"
import { createPerson } from "../../../testing/person.ts"
import type { Env } from "../configuration/env.ts"

const cookie = "accounts-local-host.bookmark"

/** A database that records where its sessions start. */
function setUp(bindings: Partial<Env> = { READ_REPLICATION: "auto" }) {
  const started: (string | undefined)[] = []
  const database = new Proxy(env.DB, {
    get(target, name) {
      if (name !== "withSession") return Reflect.get(target, name).bind(target)
      return (at?: string) => {
        started.push(at)
        return target.withSession(at)
      }
    },
  })
  return {
    bound: bind({ DB: database, ...bindings }),
    startedBy: async (action: () => Promise<unknown>) => {
      const before = started.length
      await action()
      return started.slice(before)
    },
  }
}

test.each(["getPlanAndUsage", ...nouns.flatMap(({ reads }) => reads)])(
  "a copy of the database may answer %s, at least as new as the browser's bookmark",
  async (path) => {
    const { bound, startedBy } = setUp()
    const person = await createPerson(bound)
    const bookmark = person.browser.cookies.get(cookie)
    expect(await startedBy(() => person.get(path))).toEqual(["first-primary", bookmark])
    person.browser.cookies.delete(cookie)
    expect(await startedBy(() => person.get(path))).toEqual([
      "first-primary",
      "first-unconstrained",
    ])
  },
)

test.each([
  ["/api/auth/get-session"],
  ["/api/auth/list-sessions"],
  ["/api/v1/whoami"],
  ["/api/v1/getProfile"],
  ["/api/v1/exportData"],
  ["/api/v1/listSecurityEvents"],
  ["/api/v1/listUsers"],
  ["/api/v1/listAuditEntries"],
])("only the primary answers %s, so that an ended session ends there at once", async (path) => {
  const { bound, startedBy } = setUp()
  const { browser } = await createPerson(bound, "owner")
  let status = 0
  const started = await startedBy(async () => ({ status } = await browser.get(path)))
  expect({ status, started }).toEqual({ status: 200, started: ["first-primary"] })
})

test("only the primary is asked before a member gets a token", async () => {
  const TOKENS = '{"audiences":["orders"]}'
  const { bound, startedBy } = setUp({ READ_REPLICATION: "auto", TOKENS })
  const person = await createPerson(bound)
  const started = await startedBy(async () => {
    expect((await person.post("createToken", { audience: "orders" })).status).toBe(200)
  })
  expect(started).toEqual(["first-primary"])
})

test("a browser keeps the bookmark of the latest that it has seen or written", async () => {
  const { bound } = setUp()
  const person = await createPerson(bound)
  const bookmarks = [person.browser.cookies.get(cookie) ?? ""]
  for (const name of ["one", "two"]) {
    await person.post("updateProfile", { name })
    bookmarks.push(person.browser.cookies.get(cookie) ?? "")
  }
  expect(bookmarks[0]).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{8}){2}-[0-9a-f]{32}$/)
  expect(new Set(bookmarks).size).toBe(3)
  expect(bookmarks.toSorted()).toEqual(bookmarks)
  const later = "ffffffff-ffffffff-ffffffff-ffffffffffffffffffffffffffffffff"
  person.browser.cookies.set(cookie, later)
  await person.get("whoami")
  expect(person.browser.cookies.get(cookie)).toBe(later)
})

test("what is no bookmark counts as none", async () => {
  const { bound, startedBy } = setUp()
  const person = await createPerson(bound)
  for (const text of ["first-primary", "x", "", "0".repeat(59)]) {
    person.browser.cookies.set(cookie, text)
    const started = await startedBy(() => person.get("getPlanAndUsage"))
    expect(started).toEqual(["first-primary", "first-unconstrained"])
  }
})

test("a read is still one request to the database", async () => {
  const counting = createCountingDatabase(env.DB)
  const database = new Proxy(counting.database, {
    get: (target, name) =>
      name === "withSession"
        ? () => Object.assign(target, { getBookmark: () => null })
        : Reflect.get(target, name),
  })
  const person = await createPerson(bind({ DB: database, READ_REPLICATION: "auto" }))
  expect(await counting.during(() => person.get("getPlanAndUsage"))).toHaveLength(1)
})

test("without read replication no session of the database starts, and no bookmark is set", async () => {
  const { bound, startedBy } = setUp({})
  const started = await startedBy(async () => {
    const person = await createPerson(bound)
    await person.post("updateProfile", { name: "x" })
    expect(person.browser.cookies.has(cookie)).toBe(false)
  })
  expect(started).toEqual([])
})

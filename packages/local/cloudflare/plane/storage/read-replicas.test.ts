import { expect, test } from "vitest"
import * as z from "zod"

import { serveVersion, openTestPlane, versionSpec } from "../testing/test-plane.ts"

const code = `export default {
  async fetch(request, { DB }) {
    const at = request.headers.get("at")
    const place = at === null ? DB : DB.withSession(at)
    const statements = (await request.json()).map((sql) => place.prepare(sql))
    const results = await place.batch(statements)
    return Response.json({
      rows: results.at(-1).results.map(({ body }) => body),
      primary: results.at(-1).meta.served_by_primary,
      bookmark: at === null ? null : place.getBookmark(),
    })
  },
}`

const Answer = z.object({
  rows: z.array(z.string()),
  primary: z.boolean(),
  bookmark: z.string().nullable().default(null),
})

const read = "SELECT body FROM note ORDER BY body"
const first = "first-unconstrained"

/** The copy of the database is as old as the first read of it. */
async function setUp(lag: { ms: number | undefined }) {
  const plane = await openTestPlane({ replicaLag: () => lag.ms })
  await plane.openDatabase("main")
  const version = versionSpec({ bindings: [{ name: "DB", type: "d1", id: "main" }], code })
  await plane.start(version)
  const site = await serveVersion(plane, version.id)
  const ask = async (at: string | undefined, ...statements: string[]) => {
    const headers = at === undefined ? undefined : { at }
    const body = JSON.stringify(statements)
    const response = await site.fetch("/", { method: "POST", body, ...(headers && { headers }) })
    return Answer.parse(await response.json())
  }
  await ask(undefined, "CREATE TABLE note (body TEXT)", "INSERT INTO note VALUES ('a')")
  return {
    ask,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await plane[Symbol.asyncDispose]()
    },
  }
}

test("a copy of the database lags, and answers whoever brings no newer bookmark", async () => {
  const lag: { ms: number | undefined } = { ms: 600_000 }
  await using set = await setUp(lag)
  const before = await set.ask(first, read)
  expect(before).toMatchObject({ rows: ["a"], primary: false })
  const wrote = await set.ask("first-primary", "INSERT INTO note VALUES ('b')")
  const [older = "", newer = ""] = [before.bookmark, wrote.bookmark].map((text) => text ?? "")
  expect([newer, older].toSorted()).toEqual([older, newer])

  expect(await set.ask(first, read)).toMatchObject({ rows: ["a"], primary: false })
  expect(await set.ask(older, read)).toMatchObject({ rows: ["a"], primary: false })
  for (const at of [newer, "first-primary", undefined]) {
    expect(await set.ask(at, read)).toMatchObject({ rows: ["a", "b"], primary: true })
  }

  lag.ms = 0
  expect(await set.ask(newer, read)).toMatchObject({ rows: ["a", "b"], primary: false })
  lag.ms = undefined
  expect(await set.ask(first, read)).toMatchObject({ rows: ["a", "b"], primary: true })
})

test("what writes goes to the primary, also among reads", async () => {
  await using set = await setUp({ ms: 600_000 })
  await set.ask(first, read)
  const batch = await set.ask(first, read, "INSERT INTO note VALUES ('b')", read)
  expect(batch).toMatchObject({ rows: ["a", "b"], primary: true })
  const inside = "WITH one AS (SELECT 'c' AS body) INSERT INTO note SELECT body FROM one"
  expect(await set.ask(first, inside)).toMatchObject({ primary: true })
  expect((await set.ask("first-primary", read)).rows).toEqual(["a", "b", "c"])
  expect((await set.ask(first, read)).rows).toEqual(["a"])
})

import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"

import { bind, createBrowser } from "../../testing/browser.ts"
import { createCountingDatabase } from "../../testing/counting-database.ts"

test("health answers from memory with the version and the migrations of the build", async () => {
  const response = await createBrowser(bind(), "https://evil.example").get("/api/health")
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toEqual({
    "accounts-version": env.VERSION.id,
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "content-type": "application/json",
    "cross-origin-resource-policy": "same-site",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=63072000; includeSubDomains",
    "x-content-type-options": "nosniff",
  })
  expect(await response.json()).toEqual({
    status: "ok",
    version: { id: env.VERSION.id, tag: env.VERSION.tag },
    migrations: { expected: env.TEST_MIGRATIONS.at(-1)?.name },
  })
})

test("a deep health check says how long the database took, is 503 where that is too long, and warns", async () => {
  const ask = async (pause: number) => {
    const { database: DB } = createCountingDatabase(env.DB, () => scheduler.wait(pause))
    const response = await createBrowser(bind({ DB })).get("/api/health?deep=1")
    return { code: response.status, ...(await response.json<{ database?: { ms: number } }>()) }
  }
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {})
  expect(await ask(0)).toMatchObject({
    code: 200,
    status: "ok",
    database: { ms: expect.any(Number) },
  })
  expect(warned).not.toHaveBeenCalled()
  const slow = await ask(1050)
  expect(slow).toMatchObject({ code: 503, status: "slow" })
  expect(slow.database?.ms).toBeGreaterThanOrEqual(2000)
  const lines = warned.mock.calls.map(([line]) => String(line))
  warned.mockRestore()
  const slowLine = /^\{"level":"warn","event":"database\.slow","ms":\d{4}\}$/
  expect(lines).toEqual([expect.stringMatching(slowLine), expect.stringMatching(slowLine)])
})

test("health says whether the schema is older than the build, or has dropped what it knows", async () => {
  const ask = async () => {
    const response = await createBrowser().get("/api/health?schema=1")
    return { code: response.status, ...(await response.json<object>()) }
  }
  const expected = env.TEST_MIGRATIONS.at(-1)?.name
  const version = { id: env.VERSION.id, tag: env.VERSION.tag }
  const answer = (code: number, status: string, applied: unknown) => ({
    code,
    status,
    version,
    migrations: { expected, found: applied },
  })
  expect(await ask()).toEqual(answer(200, "ok", expected))

  const later = "9999_later.sql"
  await env.DB.prepare("insert into d1_migrations (name) values (?)").bind(later).run()
  expect(await ask()).toEqual(answer(200, "ok", later))

  await env.DB.prepare(
    "create table accounts_migrations (name text primary key, sha256 text, oldest_worker text)",
  ).run()
  expect(await ask()).toEqual(answer(200, "ok", later))
  const record = env.DB.prepare("insert or replace into accounts_migrations values (?, '', ?)")
  await record.bind(later, expected).run()
  expect(await ask()).toEqual(answer(200, "ok", later))
  await record.bind(later, later).run()
  expect(await ask()).toEqual(answer(503, "ahead", later))

  await env.DB.prepare("delete from d1_migrations where name in (?, ?)").bind(later, expected).run()
  const previous = env.TEST_MIGRATIONS.at(-2)?.name
  expect(await ask()).toEqual(answer(503, "behind", previous))
  await env.DB.prepare("drop table d1_migrations").run()
  expect(await ask()).toEqual(answer(503, "behind", null))
})

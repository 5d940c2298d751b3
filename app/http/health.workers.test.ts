import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser } from "../testing/browser.ts"

test("health answers from memory with the version and the migrations of the build", async () => {
  const response = await createBrowser(bind(), "https://evil.example").get("/api/health")
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toEqual({
    "accounts-version": env.VERSION.id,
    "cache-control": "no-store",
    "content-type": "application/json",
    "strict-transport-security": "max-age=63072000; includeSubDomains",
    "x-content-type-options": "nosniff",
  })
  expect(await response.json()).toEqual({
    status: "ok",
    version: { id: env.VERSION.id, tag: env.VERSION.tag },
    migrations: { expected: env.TEST_MIGRATIONS.at(-1)?.name },
  })
})

test("health compares the build's migrations with the applied ones on request", async () => {
  const current = await createBrowser().get("/api/health?schema=1")
  const head = env.TEST_MIGRATIONS.at(-1)?.name
  expect(current.status).toBe(200)
  expect(await current.json()).toMatchObject({ migrations: { expected: head, found: head } })

  await env.DB.prepare("insert into d1_migrations (name) values ('9999_later.sql')").run()
  const behind = await createBrowser().get("/api/health?schema=1")
  expect(behind.status).toBe(503)
  expect(await behind.json()).toMatchObject({
    status: "behind",
    migrations: { expected: head, found: "9999_later.sql" },
  })
})

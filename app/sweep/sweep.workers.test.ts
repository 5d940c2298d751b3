import { createScheduledController } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { expect, it } from "vitest"

import { bind, createBrowser } from "../testing/browser.ts"
import worker from "../worker.ts"

const count = (table: string) =>
  env.DB.prepare(`select count(*) as n from ${table}`).first<number>("n")

it("removes expired sessions and verifications and keeps the others", async () => {
  const browser = createBrowser()
  await browser.post("/api/auth/sign-up/email", {
    name: "Ada",
    email: "ada@example.com",
    password: "a good long password",
  })
  await env.DB.batch([
    env.DB.prepare(
      `insert into session (id, user_id, token, expires_at, created_at, updated_at)
       select 'session_old', id, 'old', 1, 0, 0 from user`,
    ),
    env.DB.prepare(
      `insert into verification (id, identifier, value, expires_at, created_at, updated_at)
       values ('verification_old', 'x', 'x', 1, 0, 0)`,
    ),
  ])

  await worker.scheduled(createScheduledController({ scheduledTime: new Date() }), bind())

  expect(await count("session")).toBe(1)
  expect(await count("verification")).toBe(0)
  expect(await (await browser.get("/api/auth/get-session")).json()).not.toBeNull()
})

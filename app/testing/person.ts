import { env } from "cloudflare:workers"

import type { Env } from "../service/platform/configuration/env.ts"
import type { Role } from "../service/platform/database/auth.table.ts"
import { bind, createBrowser } from "./browser.ts"

export const password = "a good long password"

let people = 0

/** Signs up a new person in a new browser; what a test finds in the log of them is what it did. */
export async function createPerson(bound: Env = bind(), role: Role = "member") {
  const account = {
    name: "Ada",
    email: `person-${(people += 1)}-${crypto.randomUUID()}@example.com`,
    password,
  }
  const browser = createBrowser(bound)
  const response = await browser.post("/api/auth/sign-up/email", account)
  const { user } = await response.json<{ user: { id: string } }>()
  const forget = "delete from audit_entry where subject_id = ? and action = 'sign_up'"
  await env.DB.prepare(forget).bind(user.id).run()
  if (role !== "member") {
    await env.DB.prepare("update user set role = ? where id = ?").bind(role, user.id).run()
  }
  return {
    ...account,
    id: user.id,
    browser,
    get: async (path: string) => {
      const answer = await browser.get(`/api/v1/${path}`)
      return { status: answer.status, body: await answer.json<Record<string, unknown>>() }
    },
    post: (path: string, body: unknown) => browser.call(`/api/v1/${path}`, body),
  }
}

export type Person = Awaited<ReturnType<typeof createPerson>>

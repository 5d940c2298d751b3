import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { visitProvider } from "../../../testing/provider-visit.ts"
import { allowances } from "../attempts.ts"

/* Accounts that a provider opens are counted as those with a password are. */

const { limit } = allowances["sign-up"]

test("one network opens no more accounts in a day, by whatever way", async () => {
  const visit = await visitProvider({ changes: { LIMIT_ADDRESS: undefined } })
  using _ = visit.network
  const network = "192.0.2.150"
  const enter = async (email: string, address = network) => {
    visit.browser.cookies.clear()
    visit.provider.forge({ claims: { sub: email, email } })
    const headers = { "cf-connecting-ip": address }
    const started = await visit.browser.get("/api/auth/sign-in/idp", headers)
    const query = visit.provider.authorize(started.headers.get("location") ?? "")
    const back = new URLSearchParams(query).toString()
    const answer = await visit.browser.get(`/api/auth/callback/idp?${back}`, headers)
    return answer.headers.get("location")
  }
  const run = crypto.randomUUID()
  const pages = new Map<string | null, number>()
  for (let count = 0; count < limit + 5; count += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const page = await enter(`${count}-${run}@example.com`)
    pages.set(page, (pages.get(page) ?? 0) + 1)
  }
  const web = "http://localhost:3000"
  expect([...pages]).toEqual([
    [web, limit],
    [`${web}?error=too_many_sign_ups`, 5],
  ])
  const made = env.DB.prepare("select count(*) as made from user where email like ?")
  expect(await made.bind(`%-${run}@example.com`).first("made")).toBe(limit)
  // Who has an account signs in, and so does the next network.
  expect(await enter(`0-${run}@example.com`)).toBe(web)
  expect(await enter(`other-${run}@example.com`, "192.0.2.151")).toBe(web)
})

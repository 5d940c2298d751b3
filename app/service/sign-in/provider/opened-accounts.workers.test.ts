import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { bind, createBrowser, webUrl } from "../../../testing/browser.ts"
import { createMailbox } from "../../../testing/mailbox.ts"
import { resetPassword } from "../../../testing/password-reset.ts"
import { failed, google, single, visit } from "../../../testing/preset-visit.ts"
import { tenant } from "../../../testing/provider-shapes.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"
import { allowances } from "../../guard/attempts.ts"

/* Accounts that a provider opens are counted as those with a password are. */

const { limit } = allowances["sign-up"]

test("one network opens only so many accounts in a day, by any sign-in method", async () => {
  const site = await visitProvider({ changes: { LIMIT_ADDRESS: undefined } })
  using _ = site.network
  const network = "192.0.2.150"
  const enter = async (email: string, address = network) => {
    site.browser.cookies.clear()
    site.provider.forge({ claims: { sub: email, email } })
    const headers = { "cf-connecting-ip": address }
    const started = await site.browser.get("/api/auth/sign-in/idp", headers)
    const query = site.provider.authorize(started.headers.get("location") ?? "")
    const back = new URLSearchParams(query).toString()
    const answer = await site.browser.get(`/api/auth/callback/idp?${back}`, headers)
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
  const statement = env.DB.prepare("select count(*) as made from user where email like ?")
  expect(await statement.bind(`%-${run}@example.com`).first("made")).toBe(limit)
  // A user who has an account signs in, and so does a new one from another network.
  expect(await enter(`0-${run}@example.com`)).toBe(web)
  expect(await enter(`other-${run}@example.com`, "192.0.2.151")).toBe(web)
})

test("the log says once of each account by what it was created, and of one that a provider joins that it did", async () => {
  const site = await visitProvider({ changes: { LIMIT_ADDRESS: undefined } })
  using _ = site.network
  const enter = async (email: string) => {
    site.browser.cookies.clear()
    site.provider.forge({ claims: { sub: email, email } })
    expect(await site.finish(site.provider.authorize(await site.start()))).toBe(
      "http://localhost:3000",
    )
  }
  // By name: what happens in one millisecond has no order.
  const events = async () => {
    const answer = await site.browser.get("/api/v1/listSecurityEvents")
    const { items } = await answer.json<{ items: Record<string, string>[] }>()
    return items
      .map(({ action = "", method, how }) => ({ action, method, how }))
      .toSorted((a, b) => a.action.localeCompare(b.action))
  }
  const email = `${crypto.randomUUID()}@example.com`
  const bySignIn = { action: "sign_in", method: "idp", how: "you" }
  await enter(email)
  await enter(email)
  expect(await events()).toEqual([
    bySignIn,
    bySignIn,
    { action: "sign_up", method: "idp", how: "you" },
  ])
  const account = { name: "Ada", email: `${crypto.randomUUID()}@example.com` }
  site.browser.cookies.clear()
  const password = "a good long password"
  await createBrowser(site.bound).post("/api/auth/sign-up/email", { ...account, password })
  await enter(account.email)
  expect(await events()).toEqual([
    { action: "link_identity", method: null, how: "you" },
    bySignIn,
    { action: "sign_up", method: "password", how: "you" },
  ])
})

const mailbox = createMailbox()
const remotes = { ...google.remotes, ...single.remotes, "mail.example": mailbox.remote }

/** How the owner of an address proves it. */
const ways: Record<string, (email: string) => Promise<unknown>> = {
  "a reset": async (email) => {
    const browser = createBrowser(bind({ MAIL_URL: "https://mail.example/send" }))
    const newPassword = "the password of the owner"
    await resetPassword(browser, mailbox, { email, newPassword })
    const response = await browser.post("/api/auth/sign-in/email", { email, password: newPassword })
    return (await response.json<{ user: { name: string } }>()).user
  },
  "a provider that is the authority": async (email) => {
    const declared = { preset: "microsoft", tenant, emailDomains: ["corp.example"] }
    using owner = visit({ ...single, remotes }, declared)
    return (await owner.signIn({ sub: email, email, name: "desk" })).user
  },
}

test.each(Object.entries(ways))(
  "A57: an account that Google opened for who may have lost the address is the owner's alone after %s",
  async (_way, prove) => {
    const email = `desk-${crypto.randomUUID()}@corp.example`
    const claims = { sub: `mallory ${email}`, email, name: "Mallory", hd: undefined }
    const mallory = visit({ ...google, remotes }, google.declared)
    expect(await mallory.signIn(claims)).toMatchObject({ location: webUrl, user: { email } })
    const cookies = new Map(mallory.browser.cookies)
    expect(await prove(email)).toMatchObject({ email, name: expect.stringMatching(/^desk/) })
    for (const [name, value] of cookies) mallory.browser.cookies.set(name, value)
    const session = await mallory.browser.get("/api/auth/get-session")
    expect(await session.json()).toBeNull()
    using laterVisit = visit({ ...google, remotes }, google.declared)
    expect(await laterVisit.signIn(claims)).toEqual(failed("account_not_linked"))
  },
)

import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { copyBrowser, webUrl } from "../../../testing/browser.ts"
import { createFactorPerson } from "../../../testing/factor-person.ts"
import { createPasskeyPerson, createProvenPerson, enter } from "../../../testing/passkey-person.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"
import { countRows } from "../../../testing/rows.ts"

test("a sign-in with a provider asks for the second factor, by its identity and by its address, and then leads to its page", async () => {
  const { bound, browser, provider, start, finish, session } = await visitProvider()
  const { id, email, recoveryCodes } = await createFactorPerson(bound)
  const show = (factor: object) =>
    browser.call("/api/auth/sign-in/second-factor", factor, { origin: webUrl })
  provider.forge({ claims: { sub: email, email } })
  const callbackURL = `${webUrl}/a-page`
  // The first joins the account by the address, the second comes by the identity.
  for (const [time, recoveryCode] of recoveryCodes.slice(0, 2).entries()) {
    const page = await finish(provider.authorize(await start("idp", { callbackURL })))
    expect(page).toMatch(/\?error=second_factor_required$/)
    expect(await session()).toBeNull()
    expect(await countRows("account", "user_id", id)).toBe(1 + time)
    const signedIn = await show({ recoveryCode })
    expect(signedIn).toMatchObject({ status: 200, body: { url: callbackURL, user: { id } } })
    expect(await session()).toMatchObject({ session: { factor: "recovery" } })
    expect(await countRows("account", "user_id", id)).toBe(2)
    browser.cookies.clear()
  }
  const entry = env.DB.prepare(
    "select detail from audit_entry where subject_id = ? and action = 'sign_in' order by rowid desc",
  )
  expect(await entry.bind(id).first("detail")).toBe("idp recovery")
  // A browser that is trusted goes straight in.
  await finish(provider.authorize(await start("idp", { callbackURL })))
  await show({ recoveryCode: recoveryCodes[2], trustBrowser: true })
  expect(await finish(provider.authorize(await start("idp", { callbackURL })))).toBe(callbackURL)
  expect(await session()).toMatchObject({ session: { factor: "trusted" } })
})

/** Counts the identities of the provider and their audit entries. */
async function linkedOf(userId: string) {
  const rows = env.DB.prepare(
    `select (select count(*) from account where user_id = ?1 and provider_id = 'idp') as identities,
      (select count(*) from audit_entry where subject_id = ?1 and action = 'link_identity') as entries`,
  )
  return rows.bind(userId).first()
}

test("who runs the provider of a domain and is refused at the factor leaves no identity", async () => {
  const { bound, provider, start, finish, session } = await visitProvider()
  const { id, email, ...owner } = await createFactorPerson(bound)
  provider.forge({ claims: { sub: "of the thief", email } })
  expect(await finish(provider.authorize(await start()))).toContain("second_factor_required")
  expect(await linkedOf(id)).toEqual({ identities: 0, entries: 0 })
  // Even once the owner has another address and no factor any more.
  await owner.post("turnOffSecondFactor", {})
  await env.DB.prepare("update user set email = ? where id = ?").bind(`new-${email}`, id).run()
  await finish(provider.authorize(await start()))
  expect(await session()).not.toMatchObject({ user: { id } })
})

test("an account with a passkey alone asks for it before an identity joins, and links it with the sign-in", async () => {
  const { bound, browser, provider, start, finish, session } = await visitProvider()
  const { id, email, key } = await createPasskeyPerson(bound)
  provider.forge({ claims: { sub: email, email } })
  expect(await finish(provider.authorize(await start()))).toContain("second_factor_required")
  expect(await session()).toBeNull()
  expect(await linkedOf(id)).toEqual({ identities: 0, entries: 0 })
  const page = copyBrowser(browser, bound)
  expect((await enter(page, key)).status).toBe(200)
  expect(await linkedOf(id)).toEqual({ identities: 1, entries: 1 })
  // From then on it opens a session by itself, as a password does, which is proven by the passkey alone.
  expect(await finish(provider.authorize(await start()))).toBe(webUrl)
  const response = await browser.post("/api/auth/passkey/begin", { for: "add" }, { origin: webUrl })
  expect(await response.json()).toMatchObject({ data: { ways: ["passkey"] } })
})

test("passkeys that are switched off let no identity join", async () => {
  const visit = await visitProvider({ changes: { PASSKEYS: "off" } })
  const { id, email } = await createPasskeyPerson()
  visit.provider.forge({ claims: { sub: email, email } })
  const page = await visit.finish(visit.provider.authorize(await visit.start()))
  expect(page).toContain("error=account_not_linked")
  expect(await linkedOf(id)).toEqual({ identities: 0, entries: 0 })
})

test("another member's factor is not requested: an identity joins, and signs in again", async () => {
  const { bound, provider, start, finish } = await visitProvider()
  await createFactorPerson(bound)
  const { id, email } = await createProvenPerson(bound)
  provider.forge({ claims: { sub: email, email } })
  for (const _time of [1, 2]) {
    expect(await finish(provider.authorize(await start()))).toBe(webUrl)
    expect(await linkedOf(id)).toEqual({ identities: 1, entries: 1 })
  }
})

import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { webUrl } from "../../../testing/browser.ts"
import { createFactorPerson } from "../../../testing/factor-person.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"

test("a sign-in with a provider asks for the second factor, by its identity and by its address, and then leads to its page", async () => {
  const { bound, browser, provider, network, start, finish, session } = await visitProvider()
  using _ = network
  const { id, email, recoveryCodes } = await createFactorPerson(bound)
  const show = async (shown: object) => {
    const path = "/api/auth/sign-in/second-factor"
    const answer = await browser.post(path, shown, { origin: webUrl })
    return { status: answer.status, body: await answer.json() }
  }
  provider.forge({ claims: { sub: email, email } })
  const callbackURL = `${webUrl}/a-page`
  // The first joins the account by the address, the second comes by the identity.
  for (const recoveryCode of recoveryCodes.slice(0, 2)) {
    const page = await finish(provider.authorize(await start("idp", { callbackURL })))
    expect(page).toMatch(/\?error=second_factor_required$/)
    expect(await session()).toBeNull()
    const ways = env.DB.prepare("select count(*) as n from account where user_id = ?").bind(id)
    expect(await ways.first("n")).toBe(2)
    const shown = await show({ recoveryCode })
    expect(shown).toMatchObject({ status: 200, body: { url: callbackURL, user: { id } } })
    expect(await session()).toMatchObject({ session: { factor: "recovery" } })
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

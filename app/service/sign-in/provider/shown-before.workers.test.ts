import { expect, test } from "vitest"

import { webUrl } from "../../../testing/browser.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"

/* A provider may accept a user who signed in there long ago: that proves nothing to a service that asks again. */

const day = 24 * 60 * 60

function now() {
  return Math.floor(Date.now() / 1000)
}

test("a provider that is to ask again is asked when it has", async () => {
  const { network, start } = await visitProvider()
  using _ = network
  const maxAge = async (query: Record<string, string>) =>
    new URL(await start("idp", query)).searchParams.get("max_age")
  expect(await maxAge({ prompt: "login" })).toBe("0")
  expect([await maxAge({}), await maxAge({ prompt: "select_account" })]).toEqual([null, null])
})

const isProven = { page: webUrl, isProven: true }
const isRefused = { page: `${webUrl}?error=login_required`, isProven: undefined }
/** OpenID Connect Core, section 2, has a number there: the token is none. */
const isMalformed = { page: `${webUrl}?error=invalid_code`, isProven: undefined }
const isUnproven = { page: webUrl, isProven: false }

test.each([
  { told: "nothing", time: () => undefined, asked: isUnproven },
  { told: "now", time: now, asked: isProven },
  { told: "a clock that is behind", time: () => now() - 30, asked: isProven },
  { told: "one that is ahead", time: () => now() + day, asked: isProven },
  { told: "five minutes ago", time: () => now() - 300, asked: isRefused },
  { told: "yesterday", time: () => now() - day, asked: isRefused },
  { told: "the beginning", time: () => 0, asked: isRefused },
  { told: "before it", time: () => -1e300, asked: isMalformed },
  { told: "a word", time: () => "now", asked: isMalformed },
  { told: "null", time: () => null, asked: isMalformed },
  { told: "a list", time: () => [now()], asked: isMalformed },
])("a sign-in whose provider tells $told proves as much as was asked", async ({ time, asked }) => {
  for (const [query, expected] of [
    [{ prompt: "login" }, asked],
    // A question that this service has not put has no answer.
    [{}, asked === isMalformed ? isMalformed : isUnproven],
    [{ prompt: "select_account" }, asked === isMalformed ? isMalformed : isUnproven],
  ] satisfies [Record<string, string>, object][]) {
    const { provider, browser, network, start, finish } = await visitProvider()
    using _ = network
    provider.forge({ claims: { auth_time: time() } })
    const page = await finish(provider.authorize(await start("idp", query)))
    const act = await browser.post(
      "/api/v1/changeEmail",
      { newEmail: "new@example.com" },
      { origin: webUrl },
    )
    const code = act.status === 401 ? undefined : (await act.text()).includes("STEP_UP_REQUIRED")
    expect({ page, isProven: code === undefined ? undefined : !code }).toEqual(expected)
  }
})

test("neither the form of a step-up nor another tab makes an old visit a new one", async () => {
  const { provider, browser, network, start, finish } = await visitProvider()
  using _ = network
  provider.forge({ claims: { auth_time: now() - day } })
  // A sign-in that was begun without the question, beside one with it.
  const plain = provider.authorize(await start())
  const withQuestion = provider.authorize(await start("idp", { prompt: "login" }))
  expect(await finish({ ...plain, state: withQuestion.state })).toContain("error=")
  expect(await finish(plain)).toBe(webUrl)
  const added = await browser.post(
    "/api/auth/link-social",
    { provider: "other", prompt: "login" },
    { origin: webUrl },
  )
  expect([added.status, await added.json()]).toMatchObject([403, { code: "STEP_UP_REQUIRED" }])
})

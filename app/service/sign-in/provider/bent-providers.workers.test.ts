import { expect, test, vi } from "vitest"

import { bind, createBrowser, webUrl } from "../../../testing/browser.ts"
import { createIdentityProvider } from "../../../testing/identity-provider.ts"
import { createNetwork } from "../../../testing/network.ts"
import { apple, common, visit } from "../../../testing/preset-visit.ts"
import { tenant } from "../../../testing/provider-shapes.ts"
import { visitProvider } from "../../../testing/provider-visit.ts"

/* Providers that depart from OpenID Connect, or clocks from each other, in ways that people have met. */

function seconds(ahead: number) {
  return Math.floor(Date.now() / 1000) + ahead
}

test.each([
  { clock: "ahead", claims: () => ({ iat: seconds(30), nbf: seconds(30) }) },
  { clock: "behind", claims: () => ({ iat: seconds(-400), exp: seconds(-30) }) },
])("a provider whose clock is 30 seconds $clock signs in", async ({ claims }) => {
  const { provider, network, start, finish } = await visitProvider()
  using _ = network
  provider.forge({ claims: claims() })
  expect(await finish(provider.authorize(await start()))).toBe(webUrl)
})

test.each([{ claims: { nbf: () => seconds(90) } }, { claims: { exp: () => seconds(-90) } }])(
  "a provider whose clock differs by 90 seconds does not: $claims",
  async ({ claims }) => {
    const { provider, network, start, finish } = await visitProvider()
    using _ = network
    provider.forge({
      claims: Object.fromEntries(Object.entries(claims).map(([name, at]) => [name, at()])),
    })
    expect(await finish(provider.authorize(await start()))).toBe(`${webUrl}?error=invalid_code`)
  },
)

test.each([
  ["a name in parts", { name: undefined, given_name: "Ada", family_name: "King" }, "Ada King"],
  ["one part", { name: undefined, family_name: "King" }, "King"],
  ["a mark that turns text round", { name: "Ada\u202e King" }, "Ada King"],
  ["a line break", { name: "Ada\nKing" }, "Ada King"],
  ["marks alone", { name: "\u200f\u202e", preferred_username: "ada" }, "ada"],
])("a member keeps the name of a provider that sends %s", async (_what, claims, name) => {
  const { provider, network, start, finish, session } = await visitProvider()
  using _ = network
  const sub = crypto.randomUUID()
  provider.forge({ claims: { sub, email: `${sub}@example.com`, ...claims } })
  await finish(provider.authorize(await start()))
  expect(await session()).toMatchObject({ user: { name } })
})

test.each([
  [{ firstName: "Ada", lastName: null }, "Ada"],
  [{ lastName: "King" }, "King"],
  [{ firstName: "Ada\u202e", lastName: "King" }, "Ada King"],
])("Apple's name %j is kept, which it never sends again", async (parts, name) => {
  using set = visit(apple, apple.declared)
  const sub = crypto.randomUUID()
  apple.provider.forge({ claims: { sub, email: `${sub}@privaterelay.appleid.com` } })
  const { code, state } = apple.provider.authorize((await set.start()).href)
  const user = JSON.stringify({ name: parts })
  const posted = await createBrowser(bind(), "https://appleid.apple.com").send(
    "POST",
    `/api/auth/callback/${set.id}`,
    {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ code, state, user }).toString(),
    },
  )
  await set.browser.get(posted.headers.get("location") ?? "")
  expect(await (await set.browser.get("/api/auth/get-session")).json()).toMatchObject({
    user: { name },
  })
})

test("Microsoft's response may name the issuer of the user's tenant, and no other", async () => {
  using set = visit(common, { preset: "microsoft", tenant: "common" })
  const answer = async (iss: string) => {
    set.browser.cookies.clear()
    common.provider.forge({ claims: { xms_edov: true } })
    const { code, state } = common.provider.authorize((await set.start()).href)
    const query = new URLSearchParams({ code, state, iss }).toString()
    return (await set.browser.get(`/api/auth/callback/${set.id}?${query}`)).headers.get("location")
  }
  const base = "https://login.microsoftonline.com"
  expect(await answer(`${base}/${tenant}/v2.0`)).toBe(webUrl)
  expect(await answer(`${base}/{tenantid}/v2.0`)).toBe(webUrl)
  for (const iss of [`${base}/common/v2.0`, `https://evil.example/${tenant}/v2.0`, base]) {
    expect(await answer(iss)).toBe(`${webUrl}?error=issuer_mismatch`)
  }
})

test("Entra External ID names an issuer on another host than its metadata", async () => {
  const issuer = `https://${tenant}.ciamlogin.com/${tenant}/v2.0`
  const provider = await createIdentityProvider("contoso.ciamlogin.com", {
    issuer,
    discovery: { authorization_response_iss_parameter_supported: undefined },
    claims: { sub: "entra-1", tid: tenant, email_verified: undefined },
  })
  using _ = createNetwork({
    "contoso.ciamlogin.com": provider.remote,
    [`${tenant}.ciamlogin.com`]: provider.remote,
  })
  const declared = { preset: "entra-external", domain: "contoso", tenant }
  const enter = async (settings: object) => {
    const bound = {
      ...bind({ IDENTITY_PROVIDERS: JSON.stringify({ idp: { ...declared, ...settings } }) }),
      IDP_CLIENT_ID: "client-at-the-provider",
      IDP_CLIENT_SECRET: "secret",
    }
    const browser = createBrowser(bound, null)
    const started = await browser.get("/api/auth/sign-in/idp")
    const { code, state } = provider.authorize(started.headers.get("location") ?? "")
    const query = new URLSearchParams({ code, state }).toString()
    return (await browser.get(`/api/auth/callback/idp?${query}`)).headers.get("location")
  }
  expect(await enter({})).toBe(`${webUrl}?error=email_not_verified`)
  expect(await enter({ emailDomains: ["example.com"] })).toBe(webUrl)
})

test("the addresses of listed domains count as verified if the stack file trusts them", async () => {
  const { bound, provider, network } = await visitProvider()
  using _ = network
  const trusted = { emailDomains: ["trusted.example"], trustUnverifiedEmails: true }
  const declared = { issuer: provider.issuer, ...trusted }
  const at = { ...bound, IDENTITY_PROVIDERS: JSON.stringify({ idp: declared }) }
  const enter = async (email: string) => {
    const browser = createBrowser(at, null)
    provider.forge({ claims: { sub: email, email, email_verified: false } })
    const started = await browser.get("/api/auth/sign-in/idp")
    const answer = provider.authorize(started.headers.get("location") ?? "")
    const query = new URLSearchParams(answer).toString()
    return (await browser.get(`/api/auth/callback/idp?${query}`)).headers.get("location")
  }
  expect(await enter("ada@trusted.example")).toBe(webUrl)
  expect(await enter("ada@other.example")).toBe(`${webUrl}?error=email_not_verified`)
})

test("metadata that names another issuer is refused with both names in the log", async () => {
  const { provider, network, start } = await visitProvider()
  using _ = network
  const logged = vi.spyOn(console, "warn").mockImplementation(() => {})
  provider.forge({ discovery: { issuer: "https://elsewhere.example" } })
  expect(await start()).toBe(`${webUrl}?error=provider_unavailable`)
  const [line] = logged.mock.calls.map(([text]) => String(text))
  logged.mockRestore()
  expect(line).toContain(`names the issuer https://elsewhere.example, not ${provider.issuer}`)
})

import { expect, inject, test } from "vitest"

import { bind, createBrowser, webUrl } from "../../../testing/browser.ts"

const issuer = inject("openidIssuer")

const bound = bind({
  IDENTITY_PROVIDERS: JSON.stringify({ idp: { issuer } }),
  IDP_CLIENT_ID: "accounts",
  IDP_CLIENT_SECRET: "a secret with spaces & signs",
})

/** Follows the provider's redirects, with its cookies, until one leaves the provider. */
async function passThrough(location: string) {
  const cookies = new Map<string, string>()
  let next = location
  while (next.startsWith(issuer)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(next, { redirect: "manual", headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const to = response.headers.get("location")
    if (to === null) throw new Error(`${next} answers ${response.status} without a redirect`)
    next = new URL(to, issuer).href
  }
  return next
}

test("sign-up and sign-in work through the oidc-provider package, and a code works once", async () => {
  const browser = createBrowser(bound, null)
  const started = await browser.get(`/api/auth/sign-in/idp?newUserCallbackURL=${webUrl}/welcome`)
  const callback = await passThrough(started.headers.get("location") ?? "")
  const cookies = new Map(browser.cookies)

  const finished = await browser.get(callback)
  expect(finished.headers.get("location")).toBe(`${webUrl}/welcome`)
  expect(await (await browser.get("/api/auth/get-session")).json()).toMatchObject({
    user: { email: "lin@example.com", emailVerified: true, name: "Lin" },
  })

  const thief = createBrowser(bound, null)
  for (const [name, value] of cookies) thief.cookies.set(name, value)
  const replayed = await thief.get(callback)
  expect(replayed.headers.get("location")).toBe(`${webUrl}?error=invalid_code`)

  const again = await browser.get("/api/auth/sign-in/idp")
  const second = await browser.get(await passThrough(again.headers.get("location") ?? ""))
  expect(second.headers.get("location")).toBe(webUrl)
})

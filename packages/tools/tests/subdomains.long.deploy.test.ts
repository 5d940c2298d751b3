import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { browserMissing, fetchFrom, type Attempt } from "./testing/browser/browser.ts"
import { openEdgeBrowser } from "./testing/browser/edge-browser.ts"
import { deployFrontEnd } from "./testing/browser/front-end.ts"
import { followRequests } from "./testing/edge-requests.ts"
import { sendRequest } from "./testing/send-request.ts"
import {
  openStacks,
  servedAt,
  stagingShaped,
  type TestStack,
  type TestStacks,
} from "./testing/stacks/test-stacks.ts"

const api = "https://api.accounts.test"
const app = "https://app.accounts.test"
/** On the same site, so that a browser sends the cookie, but not a trusted origin. */
const sibling = "https://blog.accounts.test"
/** On another registrable domain. */
const stranger = "https://front-end.accounts-local.workers.dev"

const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }
const cookieName = "__Secure-accounts-staging.session_token"
/** Lets this browser sign in while others guess the password. It proves nothing by itself. */
const knownBrowser = "__Host-accounts-staging.known_browser"
const signedUp = "__Host-accounts-staging.signed_up"
const binding = "__Host-accounts-staging.session_binding"
const getSession: Attempt = { url: `${api}/api/auth/get-session`, credentials: "include" }
const signOut = {
  url: `${api}/api/auth/sign-out`,
  method: "POST",
  body: "{}",
  credentials: "include",
} as const
const json = { "content-type": "application/json" }

const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

describe.skipIf(missing !== undefined)(`[browser]${note}`, () => {
  let stacks: TestStacks
  let local: TestStack
  let browser: Browser
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    stacks = await openStacks()
    local = await stacks.permanent("staging-shaped", stagingShaped(servedAt(api, app)))
    await local.up()
    await deployFrontEnd(local, {
      service: api,
      name: "front-end",
      hostnames: [app, sibling].map((origin) => new URL(origin).hostname),
    })
    const { state, cloudflare } = local
    const { hostname } = new URL(api)
    browser = await openEdgeBrowser({ state, edgeTls: cloudflare.edgeTls, hostname })
    context = await browser.newContext()
    page = await context.newPage()
    await page.goto(`${app}/`)
  })

  afterAll(async () => {
    await browser?.close()
    await stacks?.[Symbol.asyncDispose]()
  })

  const status = (tab: Page) => tab.getByRole("status").textContent()

  /** The `Cookie` header of each request from a tab to the API, as sent by the network stack. */
  async function followCookies(tab: Page): Promise<string[]> {
    const cookies: string[] = []
    const network = await context.newCDPSession(tab)
    network.on("Network.requestWillBeSentExtraInfo", ({ headers }) => {
      if (headers["Host"] === new URL(api).host) cookies.push(headers["Cookie"] ?? "")
    })
    await network.send("Network.enable")
    return cookies
  }

  const press = async (name: string) => {
    const sessionRead = page.waitForResponse(getSession.url)
    await page.getByRole("button", { name }).click()
    await sessionRead
  }

  test("a page of a sibling subdomain signs in at the API, by names without a port", async () => {
    await expect.poll(() => status(page)).toBe("Signed out")
    await page.getByLabel("E-mail").fill(ada.email)
    await page.getByLabel("Password").fill(ada.password)
    await press("Sign up")
    await press("Sign out")
    await expect.poll(() => status(page)).toBe("Signed out")
    await press("Sign in")
    await expect.poll(() => status(page)).toBe(`Signed in as ${ada.email}`)
    expect(page.url()).toBe(`${app}/`)

    const attributes = { path: "/", httpOnly: true, secure: true, sameSite: "Lax" }
    const cookies = await context.cookies()
    expect(cookies.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      expect.objectContaining({ name: knownBrowser, domain: "api.accounts.test", ...attributes }),
      expect.objectContaining({ name: binding, domain: "api.accounts.test", ...attributes }),
      expect.objectContaining({ name: signedUp, domain: "api.accounts.test", ...attributes }),
      expect.objectContaining({ name: cookieName, domain: ".accounts.test", ...attributes }),
    ])
    expect(await page.evaluate("document.cookie")).toBe("")
  })

  test("a reload and another tab keep the session, because the page sends the shared cookie", async () => {
    const sessionRequest = page.waitForRequest(getSession.url)
    await page.reload()
    const { cookie, origin } = await (await sessionRequest).allHeaders()
    expect({ cookie, origin }).toEqual({
      cookie: expect.stringContaining(`${cookieName}=`),
      origin: app,
    })
    await expect.poll(() => status(page)).toBe(`Signed in as ${ada.email}`)
    const secondPage = await context.newPage()
    await secondPage.goto(`${app}/`)
    await expect.poll(() => status(secondPage)).toBe(`Signed in as ${ada.email}`)
    await secondPage.close()
  })

  test.each([
    { origin: stranger, site: "another site", sent: false },
    { origin: sibling, site: "the same site, but not a trusted origin", sent: true },
  ])(
    "a page of $site is rejected and changes nothing",
    { timeout: 60_000 },
    async ({ origin, sent }) => {
      const tab = await context.newPage()
      const cookies = await followCookies(tab)
      using edge = await followRequests(local.cloudflare)
      await tab.goto(`${origin}/`)
      const attempts: Attempt[] = [
        getSession,
        { ...getSession, mode: "no-cors" },
        { ...signOut, headers: json },
        { ...signOut, headers: { "content-type": "text/plain" } },
        { ...signOut, headers: { "content-type": "text/plain" }, mode: "no-cors" },
        {
          ...signOut,
          url: `${api}/api/auth/sign-up/email`,
          headers: json,
          body: JSON.stringify(ada),
        },
      ]
      for (const attempt of attempts) {
        expect(await fetchFrom(tab, attempt), JSON.stringify(attempt)).toBe("nothing")
      }
      // The page's own script sends a request too. All reach the Worker, two of them as preflights, and
      // are rejected there, except the one that the browser sends without an origin, as for an image:
      // it is answered, but no script can read the answer.
      const answers = () =>
        edge.seen
          .filter(({ host }) => host === new URL(api).host)
          .map(({ method, status: code }) => `${method} ${code}`)
          .toSorted()
      await expect
        .poll(answers)
        .toEqual([
          "GET 200",
          "GET 403",
          "GET 403",
          "OPTIONS 403",
          "OPTIONS 403",
          "POST 403",
          "POST 403",
        ])
      // The browser reports cookies separately from the answers, and later.
      await expect.poll(() => cookies.length).toBeGreaterThan(0)
      await expect.poll(() => cookies.some((cookie) => cookie.includes(cookieName))).toBe(sent)

      // A form is sent without a preflight.
      await tab.setContent(`<form method="post" action="${signOut.url}"><button>Go</button></form>`)
      const [form] = await Promise.all([
        tab.waitForResponse(signOut.url),
        tab.getByRole("button").click(),
      ])
      expect(form.status()).toBe(403)
      // Chromium may never close a tab while it is navigating.
      await tab.waitForURL(signOut.url)
      await tab.close()

      await page.reload()
      await expect.poll(() => status(page)).toBe(`Signed in as ${ada.email}`)
    },
  )

  test("signing out revokes the session, even for a client that kept the cookie", async () => {
    const cookieHeader = (await context.cookies())
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ")
    const withKept = async () => {
      const { edge: connectTo } = local.cloudflare
      return (await sendRequest(getSession.url, { connectTo, headers: { cookie: cookieHeader } }))
        .json
    }
    expect(await withKept()).toMatchObject({ user: { email: ada.email } })
    await press("Sign out")
    await expect.poll(() => status(page)).toBe("Signed out")
    const remainingNames = (await context.cookies()).map(({ name }) => name)
    expect(remainingNames.toSorted()).toEqual([knownBrowser, signedUp])
    expect(await withKept()).toBeNull()
    await page.reload()
    await expect.poll(() => status(page)).toBe("Signed out")
  })
})

import { readFileSync } from "node:fs"
import { join } from "node:path"

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"

import { accountContents } from "./testing/account-contents.ts"
import {
  browserMissing,
  fetchFrom,
  openBrowser,
  openSite,
  type Attempt,
} from "./testing/browser/browser.ts"
import { sendRequest } from "./testing/send-request.ts"
import { openStacks, type TestStack } from "./testing/stacks/test-stacks.ts"

/** Untrusted hosts of a page. Each resolves to this machine. */
const foreign = ["localhost", "127.0.0.1", "evil.localhost"]
const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }
const Call = z.object({ event: z.literal("api"), path: z.string(), status: z.number() })
type Call = z.infer<typeof Call>

const json = { "content-type": "application/json" }

const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

describe.skipIf(missing !== undefined)(`[browser]${note}`, () => {
  let local: TestStack
  let browser: Browser
  let url: string
  let databases: string
  let sites: AsyncDisposableStack
  /** The web origin of the stack. `port` is that of an untrusted site. */
  let trusted: string
  let port: number

  beforeAll(async () => {
    sites = new AsyncDisposableStack()
    trusted = `http://localhost:${sites.use(await openSite()).port}`
    port = sites.use(await openSite()).port
    browser = await openBrowser("MAP rebound.test 127.0.0.1")
    local = await sites.use(await openStacks()).local({ "accounts:webOrigin": trusted })
    url = String((await local.up()).outputs["url"])
    const { api, accountId } = local.cloudflare
    databases = `${api}/accounts/${accountId}/d1/database`
  })

  afterAll(async () => {
    await browser?.close()
    await sites.disposeAsync()
  })

  /** A tab on a site, in a new browser context without cookies. */
  async function visit(origin: string): Promise<AsyncDisposable & { page: Page }> {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${origin}/`)
    return { page, [Symbol.asyncDispose]: () => context.close() }
  }

  /** Requests by which a script of a page could try to list databases or create one. */
  function attempts(): Attempt[] {
    const authorization = `Bearer ${local.cloudflare.token}`
    const create = { method: "POST", body: JSON.stringify({ name: "made-by-a-page" }) } as const
    return [
      { url: databases },
      { url: databases, headers: { authorization } },
      { url: databases, mode: "no-cors" },
      { url: databases, ...create, headers: json },
      { url: databases, ...create, headers: { ...json, authorization } },
      { url: databases, ...create, headers: { "content-type": "text/plain" } },
      { url: databases, ...create, headers: { "content-type": "text/plain", authorization } },
      { url: databases, ...create, mode: "no-cors" },
      { url: new URL("/local/status", databases).href, headers: { authorization } },
    ]
  }

  /** Runs `act` and returns the API calls that succeeded meanwhile. */
  async function answeredDuring(act: () => Promise<void>): Promise<Call[]> {
    const log = join(local.state, "cloudflare", "log.ndjson")
    const lines = () => readFileSync(log, "utf8").trimEnd().split("\n")
    const before = lines().length
    await act()
    const calls = lines()
      .slice(before)
      .flatMap((line) => Call.safeParse(JSON.parse(line)).data ?? [])
    // The calls did reach the API: it logs rejected calls too.
    expect(calls.length).toBeGreaterThan(0)
    return calls.filter(({ status }) => status < 400)
  }

  test.each(foreign)("a page on %s can neither read nor change the account", async (host) => {
    const origin = `http://${host}:${port}`
    const before = await accountContents(local.cloudflare)
    await using tab = await visit(origin)
    // The page can send requests: its own site answers.
    expect(await fetchFrom(tab.page, { url: `${origin}/` })).toMatchObject({ status: 200 })
    const exchanges = await answeredDuring(async () => {
      for (const attempt of attempts()) {
        expect(await fetchFrom(tab.page, attempt), JSON.stringify(attempt)).toBe("nothing")
      }
    })
    expect(exchanges).toEqual([])
    expect(await accountContents(local.cloudflare)).toEqual(before)
  })

  test("a form on another site creates nothing", async () => {
    const before = await accountContents(local.cloudflare)
    await using tab = await visit(`http://evil.localhost:${port}`)
    // Sent as text/plain, the field's name and value together form a JSON body.
    await tab.page.setContent(
      `<form method="post" enctype="text/plain" action="${databases}">
        <input name='{"name":"made-by-a-form","x":"' value='"}'><button>Go</button></form>`,
    )
    const [answer] = await Promise.all([
      tab.page.waitForResponse(databases),
      tab.page.getByRole("button").click(),
    ])
    expect(answer.status()).toBe(403)
    expect(await accountContents(local.cloudflare)).toEqual(before)
  })

  test("a host name rebound to this machine is rejected, with or without a token", async () => {
    const before = await accountContents(local.cloudflare)
    const api = new URL(databases)
    const rebound = `rebound.test:${api.port}`
    // The rejection is a document on that host, so scripts in it have the same origin as the API.
    await using tab = await visit(`http://${rebound}`)
    const exchanges = await answeredDuring(async () => {
      for (const attempt of attempts()) {
        const reboundUrl = attempt.url.replace(api.host, rebound)
        const fetch = await fetchFrom(tab.page, { ...attempt, url: reboundUrl })
        expect(fetch, JSON.stringify(attempt)).toMatchObject({
          status: 403,
          text: expect.stringContaining("Only loopback hosts"),
        })
      }
    })
    expect(exchanges).toEqual([])
    expect(await accountContents(local.cloudflare)).toEqual(before)
  })

  test.each(foreign)("a page on %s cannot sign a user up", async (host) => {
    await using tab = await visit(`http://${host}:${port}`)
    const body = JSON.stringify({ ...ada, email: "victim@example.com" })
    const target = { url: `${url}/api/auth/sign-up/email`, method: "POST", body } as const
    for (const headers of [json, { "content-type": "text/plain" }]) {
      for (const mode of ["cors", "no-cors"] as const) {
        expect(
          await fetchFrom(tab.page, { ...target, headers, mode, credentials: "include" }),
        ).toBe("nothing")
      }
    }
    expect(await tab.page.context().cookies()).toEqual([])
    const signIn = await sendRequest(`${url}/api/auth/sign-in/email`, {
      headers: { origin: trusted },
      body: { email: "victim@example.com", password: ada.password },
    })
    expect(signIn.status).toBe(401)
  })

  test("the web origin signs up and reads its session; pages of other origins in the same browser cannot", async () => {
    await using tab = await visit(trusted)
    const { page } = tab
    const credentials = "include"
    const session: Attempt = { url: `${url}/api/auth/get-session`, credentials }
    const signOut = { url: `${url}/api/auth/sign-out`, method: "POST", body: "{}" } as const

    const signUp = await fetchFrom(page, {
      url: `${url}/api/auth/sign-up/email`,
      method: "POST",
      headers: json,
      body: JSON.stringify(ada),
      credentials,
    })
    expect(signUp).toMatchObject({ status: 200 })
    const signedIn = { status: 200, text: expect.stringContaining(ada.email) }
    expect(await fetchFrom(page, session)).toMatchObject(signedIn)
    expect(await page.evaluate("document.cookie")).toBe("")
    const cookies = await page.context().cookies()
    const ofHost = { domain: "localhost", httpOnly: true, sameSite: "Lax", secure: false }
    expect(cookies.toSorted((a, b) => a.name.localeCompare(b.name))).toMatchObject([
      { name: "accounts-local-host.session_binding", ...ofHost },
      { name: "accounts-local-host.session_token", ...ofHost },
      { name: "accounts-local-host.signed_up", ...ofHost },
    ])

    // Cookies ignore ports: the browser sends them to another port of the same host too.
    for (const host of foreign) {
      const beside = await page.context().newPage()
      await beside.goto(`http://${host}:${port}/`)
      expect(await fetchFrom(beside, session), host).toBe("nothing")
      for (const headers of [json, { "content-type": "text/plain" }]) {
        for (const mode of ["cors", "no-cors"] as const) {
          expect(await fetchFrom(beside, { ...signOut, headers, mode, credentials })).toBe(
            "nothing",
          )
        }
      }
      await beside.close()
    }
    expect(await fetchFrom(page, session)).toMatchObject(signedIn)
    expect(await fetchFrom(page, { ...signOut, headers: json, credentials })).toMatchObject({
      status: 200,
    })
    expect(await fetchFrom(page, session)).toMatchObject({ status: 200, text: "null" })
  })
})

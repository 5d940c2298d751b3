import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { serveFrontEnd } from "../../../examples/front-end/serve.ts"
import { serveRendered } from "../../../examples/server-rendered/serve.ts"
import { browserMissing, fetchFrom, openBrowser } from "./testing/browser/browser.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { sendRequest } from "./testing/send-request.ts"
import { followStart, type StartProcess } from "./testing/start-process.ts"

const password = "correct horse battery"

const missing = await browserMissing()

describe.skipIf(missing !== undefined)(`[browser]${missing ? ` skipped: ${missing}` : ""}`, () => {
  let checkout: Checkout
  let start: StartProcess
  let browser: Browser
  let frontEnd: Awaited<ReturnType<typeof serveFrontEnd>>
  let rendered: Awaited<ReturnType<typeof serveRendered>>

  beforeAll(async () => {
    checkout = copyCheckout()
    frontEnd = await serveFrontEnd({ port: 0, api: () => start.url })
    rendered = await serveRendered(0, () => ({ api: start.url }))
    checkout.edit("environments/Pulumi.local.yaml", (text) =>
      text.replace(
        /accounts:webOrigin: .*/,
        `accounts:webOrigin: ${frontEnd.url}\n  accounts:trustedOrigins: [http://localhost:8787, ${frontEnd.url}, ${rendered.url}]`,
      ),
    )
    start = await followStart(
      checkout.spawn("start", "--state", checkout.state, "--port", "0", "--api-port", "0"),
    )
    browser = await openBrowser("")
  })

  afterAll(async () => {
    await browser?.close()
    await start?.[Symbol.asyncDispose]()
    await frontEnd?.[Symbol.asyncDispose]()
    await rendered?.[Symbol.asyncDispose]()
    await checkout?.[Symbol.asyncDispose]()
  })

  function status(page: Page, text: string) {
    return page.getByRole("status").getByText(text, { exact: true }).waitFor()
  }

  async function join(name: string) {
    const email = `${name.toLowerCase()}-${crypto.randomUUID()}@example.com`
    const body = { name, email, password }
    const headers = { origin: frontEnd.url }
    const answer = await sendRequest(`${start.url}/api/auth/sign-up/email`, { headers, body })
    expect(answer.status).toBe(200)
    return { name, email }
  }

  /** Signs in like any page that shares the cookies, so that no client tells the other tab. */
  async function signIn(page: Page, { email }: { email: string }) {
    const fetch = await fetchFrom(page, {
      url: `${start.url}/api/auth/sign-in/email`,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
      credentials: "include",
    })
    expect(fetch).toMatchObject({ status: 200 })
  }

  /** Name of the user who is signed in. */
  async function nameIn(page: Page) {
    const url = `${start.url}/api/v1/getProfile`
    const fetch = await fetchFrom(page, { url, credentials: "include" })
    return typeof fetch === "string" ? fetch : JSON.parse(fetch.text).name
  }

  async function openTab(context: BrowserContext, url: string) {
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    await page.goto(url)
    return page
  }

  async function save(page: Page, name: string) {
    await page.locator("#profile [name=name]").fill(name)
    await page.locator("#profile button").click()
  }

  test("a tab that is signed in as one person follows a sign-in by a provider in another tab", async () => {
    await using context = await browser.newContext()
    const tab = await openTab(context, frontEnd.url)
    await signIn(tab, await join("Ada"))
    await tab.reload()
    await status(tab, "Signed in as Ada")

    const query = new URLSearchParams({ callbackURL: frontEnd.url }).toString()
    const two = await openTab(context, `${start.url}/api/auth/sign-in/idp?${query}`)
    await two.getByLabel("E-mail", { exact: true }).fill("gus@example.com")
    await two.getByLabel("Name").fill("Gus")
    await two.getByRole("button", { name: "Sign in" }).click()
    await status(two, "Signed in as Gus")
    await status(tab, "Signed in as Gus")
    await save(tab, "Gustav")
    await status(two, "Signed in as Gustav")
    expect(await nameIn(tab)).toBe("Gustav")
  })

  test("what a tab writes that has not heard of another person's sign-in lands nowhere, and the tab asks who it is", async () => {
    await using context = await browser.newContext()
    const tab = await openTab(context, frontEnd.url)
    await signIn(tab, await join("Ada"))
    await tab.reload()
    await status(tab, "Signed in as Ada")

    const two = await openTab(context, frontEnd.url)
    await status(two, "Signed in as Ada")
    await signIn(two, await join("Bea"))
    await save(tab, "Ada's secret")
    await tab.getByRole("alert").getByText("Another account is signed in now").waitFor()
    await status(tab, "Signed in as Bea")
    await status(two, "Signed in as Bea")
    expect(await nameIn(two)).toBe("Bea")
  })

  test("a server-rendered form of one person changes nothing of another, and its page begins with the session", async () => {
    await using context = await browser.newContext()
    const tab = await openTab(context, rendered.url)
    const ada = await join("Ada")
    const paths: string[] = []
    tab.on("request", (request) => paths.push(new URL(request.url()).pathname))
    await tab.locator("#sign-in [name=email]").fill(ada.email)
    await tab.locator("#sign-in [name=password]").fill(password)
    await tab.locator("#sign-in button").click()
    await status(tab, "Signed in as Ada")
    await save(tab, "Ada Lovelace")
    await status(tab, "Signed in as Ada Lovelace")
    await tab.waitForLoadState("networkidle")
    // The server has asked, and no script asks again.
    expect(paths).toEqual(expect.arrayContaining(["/profile", "/page.js"]))
    expect(paths).not.toContain("/api/auth/get-session")

    const two = await openTab(context, frontEnd.url)
    await signIn(two, await join("Bea"))
    await save(tab, "Ada's secret")
    await tab.getByRole("alert").getByText("Another account is signed in now").waitFor()
    await status(tab, "Signed in as Bea")
    expect(await nameIn(two)).toBe("Bea")
  })
})

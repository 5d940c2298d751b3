import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { serveFrontEnd } from "../../../examples/front-end/serve.ts"
import { browserMissing, openBrowser } from "./testing/browser/browser.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { followStart, type StartProcess } from "./testing/start-process.ts"

const password = "correct horse battery"
const missing = await browserMissing()

describe.skipIf(missing !== undefined)(`[browser]${missing ? ` skipped: ${missing}` : ""}`, () => {
  let checkout: Checkout
  let start: StartProcess
  let browser: Browser
  let frontEnd: Awaited<ReturnType<typeof serveFrontEnd>>

  beforeAll(async () => {
    checkout = copyCheckout()
    frontEnd = await serveFrontEnd({ port: 0, api: () => start.url })
    checkout.edit("environments/Pulumi.local.yaml", (text) =>
      text
        .replace(
          /accounts:webOrigin: .*/,
          `accounts:webOrigin: ${frontEnd.url}\n  accounts:trustedOrigins: [http://localhost:8787, ${frontEnd.url}]`,
        )
        .replace("accounts:pages: true", "accounts:pages: { name: Acme, color: '#7a1fa2' }"),
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
    await checkout?.[Symbol.asyncDispose]()
  })

  test("a site of another origin sends people to the pages and has them back, signed in and out again", async () => {
    const context = await browser.newContext({ locale: "en" })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const site = `${frontEnd.url}/with-pages?tab=2`
    const status = (text: string) => page.getByRole("status").getByText(text).waitFor()
    await page.goto(site)
    await status("Signed out")
    await page.getByRole("link", { name: "Sign up" }).click()
    await page.getByLabel("Name").fill("Grace")
    await page.getByLabel("Email address").fill("grace@example.com")
    await page.getByLabel("Password").fill(password)
    expect(await page.title()).toBe("Create an account – Acme")
    await page.getByRole("button", { name: "Create an account" }).click()
    await page.waitForURL(site)
    await status("Signed in as Grace")

    await page.getByRole("link", { name: "Sign out" }).click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForURL(site)
    await status("Signed out")
    await page.getByRole("link", { name: "Sign in" }).click()
    await page.getByLabel("Email address").fill("grace@example.com")
    await page.getByLabel("Password").fill(password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.waitForURL(site)
    await status("Signed in as Grace")
    await page.getByRole("link", { name: "Your account" }).click()
    await page.getByText("Signed in as Grace").waitFor()
    await context.close()
  })
})

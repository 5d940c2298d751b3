import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { browserMissing, openBrowser } from "./testing/browser/browser.ts"
import { callAt, createResult, password, signUpAt } from "./testing/browser/page-visits.ts"
import {
  confirmActs,
  expectKeyboard,
  judge,
  openPage,
  pagesFor,
  refuseForms,
} from "./testing/browser/page-walk.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { followStart, type StartProcess } from "./testing/start-process.ts"

const owner = "owner@example.com"
const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

describe.skipIf(missing !== undefined)(`[browser]${note}`, () => {
  let checkout: Checkout
  let start: StartProcess
  let browser: Browser

  beforeAll(async () => {
    checkout = copyCheckout()
    start = await followStart(
      checkout.spawn("start", "--state", checkout.state, "--port", "0", "--api-port", "0"),
    )
    browser = await openBrowser("")
    await using context = await browser.newContext()
    await signUp(await context.newPage(), owner)
    const flags = ["-s", "local", "--unverified", "--state", checkout.state]
    const { code } = await checkout.run("owner", "grant", owner, ...flags)
    if (code !== 0) throw new Error("the owner was not granted")
    // A member for the admin's pages: those of an owner are closed to admins.
    await using memberContext = await browser.newContext()
    await signUp(await memberContext.newPage(), "member@example.com")
  })

  afterAll(async () => {
    await browser?.close()
    await start?.[Symbol.asyncDispose]()
    await checkout?.[Symbol.asyncDispose]()
  })

  async function visit(settings: Parameters<Browser["newContext"]>[0]) {
    const context = await browser.newContext(settings)
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    return { context, page, [Symbol.asyncDispose]: () => context.close() }
  }

  async function signUp(page: Page, email: string) {
    await page.goto(`${start.url}/sign-up`)
    await signUpAt(page, email)
    await page.getByRole("heading", { name: "Profile" }).waitFor()
  }

  async function checkoutOf(context: BrowserContext) {
    const resultId = await createResult(context, start.url)
    await callAt(context, start.url, "createCheckout", { resultId })
  }

  async function signIn(page: Page, email: string) {
    await page.goto(`${start.url}/sign-in`)
    await page.locator("#sign-in-email").fill(email)
    await page.locator("#sign-in-password").fill(password)
    await page.locator("button[value=sign-in]").click()
    await page.waitForURL(`${start.url}/account`)
  }

  // Colours take no space, and words have no colours: each of them is seen once.
  test.each([
    ["light", "en"],
    ["dark", "de"],
  ] as const)(
    "every page and each of its refusals fits and is found sound, in %s and %s",
    async (colorScheme, locale) => {
      await using visited = await visit({ colorScheme, locale })
      const { page: tab, context } = visited
      const see = (state: string) => judge(tab, `${state}-${colorScheme}-${locale}`)
      let refused = 0
      const walk = async (who: string, audiences: string[]) => {
        for (const { path } of pagesFor(audiences)) {
          await openPage(tab, start.url, path)
          await see(`${path}-${who}`)
          if (colorScheme === "light") await expectKeyboard(tab, path)
          refused += await refuseForms(tab, (act) => see(`${path}-${who}-refused-${act}`))
        }
      }
      await walk("nobody", ["anyone"])

      await signIn(tab, owner)
      await tab.goto(`${start.url}/admin`)
      await see("elsewhere")
      await checkoutOf(context)
      await walk("owner", ["member", "admin"])
      await confirmActs(tab, start.url, (act) => see(`confirm-${act}`))
      await tab.goto(`${start.url}/nothing`)
      await see("nothing")
      expect(refused).toBeGreaterThan(10)
    },
  )

  test.each([
    ["light", "en"],
    ["dark", "de"],
  ] as const)(
    "a new visitor, an exceeded limit, an ended session and an outage have pages in %s and %s",
    async (colorScheme, locale) => {
      await using visited = await visit({ colorScheme, locale })
      const { page: tab, context } = visited
      const see = (state: string) => judge(tab, `${state}-${colorScheme}-${locale}`)
      const email = `new-${colorScheme}@example.com`
      await tab.goto(`${start.url}/sign-up`)
      await tab.locator("#sign-up-name").fill("Überlänge".repeat(10))
      await tab.locator("#sign-up-email").fill(email)
      await tab.locator("#sign-up-password").fill(password)
      await tab.locator("button[value=sign-up]").click()
      await tab.waitForURL(`${start.url}/account`)
      for (const { path } of pagesFor(["member"])) {
        if (path.includes(":")) continue
        await openPage(tab, start.url, path)
        await see(`${path}-new`)
      }

      await tab.goto(`${start.url}/account`)
      const headers = { origin: start.url }
      await context.request.post(`${start.url}/api/auth/sign-out`, { data: {}, headers })
      await tab.locator("button[value=save]").click()
      await tab.getByRole("status").waitFor()
      expect(new URL(tab.url()).pathname).toBe("/sign-in")
      await see("ended")

      for (let tries = 0; tries < 11; tries += 1) {
        const data = { email: `none-${colorScheme}@example.com`, password: "wrong password" }
        await context.request.post(`${start.url}/api/auth/sign-in/email`, { data, headers })
      }
      await tab.goto(`${start.url}/sign-in`)
      await tab.locator("#sign-in-email").fill(`none-${colorScheme}@example.com`)
      await tab.locator("#sign-in-password").fill("wrong password")
      await tab.locator("button[value=sign-in]").click()
      expect(await tab.getByRole("alert").textContent()).toMatch(
        /\d+ (?:seconds|Sekunden|minutes?|Minuten?)/,
      )
      await see("too-many")

      await signIn(tab, email)
      const fault = (name: string) =>
        checkout.run("local", "fault", name, "--state", checkout.state)
      expect(await fault("no-database")).toMatchObject({ code: 0 })
      const answer = await tab.goto(`${start.url}/account`)
      await fault("off")
      expect(answer?.status()).toBe(503)
      await see("outage")
      await tab.getByRole("link", { name: /Try again|Noch einmal/ }).click()
      await tab.locator("#save-name").waitFor()
    },
  )

  test("with scripts off every page is the same page", async () => {
    await using on = await visit({ locale: "en" })
    await using off = await visit({ locale: "en", javaScriptEnabled: false })
    const expectSameHeads = async (audiences: string[]) => {
      for (const { path } of pagesFor(audiences)) {
        const heads: (string | null)[] = []
        for (const { page } of [on, off]) {
          await openPage(page, start.url, path)
          heads.push(await page.locator("h1").textContent())
        }
        expect({ path, head: heads[1] }).toEqual({ path, head: heads[0] })
      }
    }
    await expectSameHeads(["anyone"])
    for (const { page } of [on, off]) await signIn(page, owner)
    await checkoutOf(on.context)
    await expectSameHeads(["member", "admin"])
  })
})

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { browserMissing, openBrowser } from "./testing/browser/browser.ts"
import { createResult, password, payAt, signUpAt } from "./testing/browser/page-visits.ts"
import { pagesFor } from "./testing/browser/page-walk.ts"
import { copyCheckout, type Checkout } from "./testing/checkout.ts"
import { followStart, type StartProcess } from "./testing/start-process.ts"

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

  /** URL of a page in the table that start prints. */
  function row(name: string) {
    return new RegExp(`^ {2}${name} {2,}(http\\S+)$`, "m").exec(start.stdout())?.[1] ?? ""
  }

  async function signUp(page: Page, email: string) {
    await page.goto(row("sign up"))
    await signUpAt(page, email)
    await page.getByRole("heading", { name: "Profile" }).waitFor()
  }

  test("with scripts off, a visitor gets by clicks from the printed address to an email, a paid result and the end", async () => {
    await using visited = await visit({
      javaScriptEnabled: false,
      viewport: { width: 360, height: 740 },
    })
    const { page, context } = visited
    await signUp(page, "grace@example.com")
    await page.getByRole("link", { name: "emails" }).click()
    const link = page.getByRole("link", { name: /verify-email/ })
    await expect
      .poll(async () => (await page.reload(), link.count()), { timeout: 60_000 })
      .toBeGreaterThan(0)
    await page.goto((await link.first().getAttribute("href")) ?? "")
    await page.getByRole("heading", { name: "Your address is verified" }).waitFor()
    await page.getByRole("link", { name: "Continue" }).click()
    await page.getByText("(verified)").waitFor()

    await createResult(context, start.url)
    // On a telephone the menu is behind a button, which works without scripts.
    const openMenu = () => page.getByRole("button", { name: "Your account" }).click()
    await openMenu()
    await payAt(page, start.url)

    await page.goto(`${start.url}/account/ways`)
    await page.getByRole("button", { name: "Add Idp" }).click()
    // Without scripts a browser follows the header, too.
    await page.getByLabel("E-mail", { exact: true }).fill("grace@example.com")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { name: "Sign-in methods" }).waitFor()
    await page.getByRole("button", { name: "Remove" }).first().waitFor()

    await openMenu()
    await page.getByRole("link", { name: "Your data" }).click()
    await page.getByLabel("Password").fill(password)
    await page.getByLabel("Yes, delete all of it").check()
    await page.getByRole("button", { name: "Delete forever" }).click()
    await page.getByText("Your account has been deleted.").waitFor()
  })

  test("a member signs in and out with only the keyboard", async () => {
    await using visited = await visit({ viewport: { width: 1280, height: 800 } })
    const { page } = visited
    await signUp(page, "ada@example.com")
    await page.context().clearCookies()
    await page.goto(`${start.url}/sign-in`)
    const focused = () => page.evaluate<string>("document.activeElement.id")
    const tabTo = async (id: string) => {
      for (let times = 0; times < 20 && (await focused()) !== id; times += 1) {
        await page.keyboard.press("Tab")
      }
      expect(await focused()).toBe(id)
    }
    await tabTo("sign-in-email")
    await page.keyboard.type("ada@example.com")
    await tabTo("sign-in-password")
    await page.keyboard.type(`${password}\n`)
    await page.getByRole("heading", { name: "Profile" }).waitFor()
    const inside = pagesFor(["member"]).filter(({ path }) => !path.includes(":"))
    for (const { path } of inside) await page.goto(start.url + path)
    await page.goto(`${start.url}/sign-out`)
    await page.getByRole("button", { name: "Sign out" }).press("Enter")
    await page.getByText("You are signed out.").waitFor()
    // No page of the account comes back from the browser's memory.
    for (let steps = 0; steps <= inside.length; steps += 1) {
      await page.goBack()
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      expect(await page.content()).not.toContain("Grace")
    }
    expect(inside.length).toBeGreaterThan(12)
  })
})

import { expect, test } from "vitest"

import { browserMissing, openBrowser } from "./testing/browser/browser.ts"
import { openConsoleSite, openTab } from "./testing/browser/console-site.ts"

const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

test.skipIf(missing !== undefined)(
  `[browser]${note} focus moves to the opened view, even when data changes during navigation`,
  async () => {
    await using browser = await openBrowser("MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
    await using site = await openConsoleSite()
    const { cloudflare } = site
    await using tab = await openTab(browser)
    const { page } = tab
    await page.goto(await site.link())
    await page.getByRole("status").filter({ hasText: "Live" }).waitFor()
    await page.getByRole("link", { name: "Databases", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor()

    const answers = Promise.withResolvers<void>()
    let asked = 0
    await page.route("**/local/console/workers", async (route) => {
      asked += 1
      await answers.promise
      await route.continue()
    })
    await page.getByRole("link", { name: "Workers", exact: true }).click()
    await expect.poll(() => asked).toBeGreaterThan(0)
    const before = asked
    // The change makes the page load the opened view again.
    const client = await cloudflare.client()
    await client.d1.database.create({ account_id: cloudflare.accountId, name: "meanwhile" })
    await expect.poll(() => asked).toBeGreaterThan(before)
    answers.resolve()
    await page.getByRole("heading", { level: 1, name: "Workers" }).waitFor()
    // The heading, not the link with the same text.
    expect(await page.evaluate("document.activeElement.outerHTML")).toMatch(/^<h1.*>Workers</)
    expect(tab.complaints).toEqual([])
  },
)

import { askEdge } from "@accounts-stack/local/cloudflare/testing/ask-edge"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { expectAccessible } from "./testing/browser/accessible.ts"
import { browserMissing, openBrowser } from "./testing/browser/browser.ts"
import { host, openConsoleSite, openTab, secret } from "./testing/browser/console-site.ts"

const views = ["Requests", "Workers", "Databases", "Log"]

const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

describe.skipIf(missing !== undefined)(`[browser]${note}`, () => {
  let site: Awaited<ReturnType<typeof openConsoleSite>>
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser("MAP rebound.test 127.0.0.1")
    site = await openConsoleSite()
  })

  afterAll(async () => {
    await browser?.close()
    await site?.[Symbol.asyncDispose]()
  })

  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole("heading", { level: 1, name }).waitFor()

  const focused = (page: Page) => page.evaluate("document.activeElement.textContent.trim()")

  /** Presses Tab until the named element has the focus. */
  async function tabTo(page: Page, name: string) {
    for (let presses = 0; presses < 60; presses += 1) {
      if ((await focused(page)) === name) return
      await page.keyboard.press("Tab")
    }
    throw new Error(`Tab never reaches ${name}`)
  }

  async function follow(page: Page, name: string, title: string | RegExp = name) {
    await tabTo(page, name)
    await page.keyboard.press("Enter")
    await heading(page, title)
  }

  const fits = (page: Page) => page.evaluate("document.documentElement.scrollWidth <= innerWidth")

  test("a link signs in once, and the keyboard alone reaches every view and table", async () => {
    const { origin, version } = site
    await using tab = await openTab(browser)
    const { page } = tab
    await page.goto(origin)
    await heading(page, "Sign in")
    expect(await page.getByRole("navigation").count()).toBe(0)
    expect(await page.locator("pre").textContent()).toBe("./accounts local console")
    await expectAccessible(page)

    const url = await site.link()
    await page.goto(url)
    await heading(page, "Requests")
    expect(page.url()).toBe(`${origin}/`)
    expect(await page.evaluate("document.cookie")).toBe("")

    await page.reload()
    await heading(page, "Requests")
    await page.keyboard.press("Tab")
    expect(await focused(page)).toBe("Skip to content")
    await page.keyboard.press("Enter")
    expect(await page.evaluate("document.activeElement.id")).toBe("content")

    for (const view of views.toReversed()) {
      await follow(page, view)
      expect(await page.title()).toBe(`${view} · Local Cloudflare`)
      expect(await focused(page)).toBe(view)
      expect(await page.locator("nav [aria-current=page]").textContent()).toBe(view)
      await expectAccessible(page)
    }

    await follow(page, "Workers")
    await follow(page, "shown", "Worker shown")
    const versions = page.getByRole("table", { name: "Versions, newest first" })
    expect(await versions.getByRole("row").nth(1).innerText()).toMatch(
      new RegExp(String.raw`1\s+${version.slice(0, 8)}\s+100 %\s+running`),
    )
    const bindings = page.getByRole("table", { name: "Bindings of version 1" })
    expect(await bindings.getByRole("row", { name: "HIDDEN" }).innerText()).toMatch(/not shown/)
    expect(await page.content()).not.toContain(secret)
    await expectAccessible(page)

    await follow(page, "Databases")
    await follow(page, "pets", "Database pets")
    await expectAccessible(page)
    await follow(page, "note", "Table note")
    const rows = page.getByRole("table").getByRole("row")
    expect(await rows.count()).toBe(51)
    expect(await rows.nth(1).innerText()).toMatch(/60\s+pet 60/)
    await expectAccessible(page)
    await tabTo(page, "Next page")
    await page.keyboard.press("Enter")
    await page.getByText("60 rows, page 2 of 2").waitFor()
    expect(await rows.count()).toBe(11)
    expect([...tab.asked]).toEqual([origin])
    expect(tab.complaints).toEqual([])

    await using second = await openTab(browser)
    await second.page.goto(url)
    await heading(second.page, "Sign in")
    expect(await second.page.getByRole("alert").textContent()).toMatch(/used before/)

    await tabTo(page, "Sign out")
    await page.keyboard.press("Enter")
    await heading(page, "Sign in")
    await page.reload()
    await heading(page, "Sign in")
  })

  test("new requests and rows appear live; a pause delays them and a filter hides them", async () => {
    const { cloudflare, origin, version } = site
    await using tab = await openTab(browser)
    const { page } = tab
    await page.goto(await site.link())
    await heading(page, "Requests")
    await askEdge(cloudflare.edge, host, "/live?token=hidden")
    const row = page.getByRole("row").filter({ hasText: `${host}/live` })
    await row.waitFor()
    expect(await row.innerText()).toMatch(
      new RegExp(String.raw`200\s+GET\s+${host}/live\s+\d+ ms\s+shown\s+${version.slice(0, 8)}`),
    )
    await page
      .getByRole("status")
      .filter({ hasText: `GET ${host}/live 200` })
      .waitFor({ state: "attached" })
    expect(await page.content()).not.toContain("token=hidden")

    await tabTo(page, "Pause")
    await page.keyboard.press("Space")
    await askEdge(cloudflare.edge, "unknown.accounts.test", "/while-paused")
    await askEdge(cloudflare.edge, host, "/after")
    const paused = page.getByRole("row").filter({ hasText: "while-paused" })
    await page
      .getByRole("status")
      .filter({ hasText: `GET ${host}/after 200` })
      .waitFor({ state: "attached" })
    expect(await paused.count()).toBe(0)
    await page.keyboard.press("Space")
    await paused.waitFor()

    await page.getByRole("combobox", { name: "Status" }).selectOption("4xx")
    expect(await page.getByRole("row").count()).toBe(2)
    await page.getByRole("searchbox", { name: "Contains" }).fill("nothing like it")
    await page.getByText("Nothing matches the filter.").waitFor()

    await follow(page, "Databases")
    await follow(page, "pets", "Database pets")
    await follow(page, "note", "Table note")
    const client = await cloudflare.client()
    const [database] = (await client.d1.database.list({ account_id: cloudflare.accountId })).result
    await client.d1.database.query(database?.uuid ?? "", {
      account_id: cloudflare.accountId,
      sql: "INSERT INTO note (text) VALUES ('<img src=x onerror=alert(1)>')",
    })
    const cell = page.getByRole("cell", { name: "<img src=x onerror=alert(1)>" })
    await cell.waitFor()
    expect(await page.locator("main img").count()).toBe(0)
    expect([...tab.asked]).toEqual([origin])
    expect(tab.complaints).toEqual([])
  })

  test.each([
    { colorScheme: "light", width: 400 },
    { colorScheme: "dark", width: 400 },
    { colorScheme: "dark", width: 1280 },
  ] as const)(
    "every view is accessible and never scrolls sideways ($colorScheme, $width px)",
    async (look) => {
      const { colorScheme, width } = look
      await using tab = await openTab(browser, { colorScheme, viewport: { width, height: 800 } })
      const { page } = tab
      await askEdge(site.cloudflare.edge, host, `/${"a-long-path/".repeat(12)}`)
      await page.goto(await site.link())
      for (const view of views) {
        await page.getByRole("link", { name: view, exact: true }).click()
        await heading(page, view)
        expect([view, await fits(page)]).toEqual([view, true])
        await expectAccessible(page)
      }
      expect(tab.complaints).toEqual([])
    },
  )

  test("when the local Cloudflare stops, the page says so and keeps its contents", async () => {
    await using tab = await openTab(browser)
    const { page } = tab
    await page.goto(await site.link())
    await follow(page, "Workers")
    await page.getByRole("status").filter({ hasText: "Live" }).waitFor()
    await site[Symbol.asyncDispose]()
    await page.getByRole("status").filter({ hasText: "Not reachable" }).waitFor()
    expect(await page.getByRole("table", { name: "Workers of this account" }).count()).toBe(1)
  })
})

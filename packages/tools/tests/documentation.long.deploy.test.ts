import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import description from "../../../app/service/openapi/openapi.json" with { type: "json" }
import { browserMissing, openBrowser } from "./testing/browser/browser.ts"
import { openPrepared, type PreparedEnvironment } from "./testing/vitest/prepared-environment.ts"

const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

describe.skipIf(missing !== undefined)(`[browser]${note}`, () => {
  let environment: PreparedEnvironment
  let browser: Browser
  let url: string

  beforeAll(async () => {
    browser = await openBrowser("MAP * ~NOTFOUND, EXCLUDE localhost")
    const state = mkdtempSync(join(tmpdir(), "accounts-documentation-"))
    environment = await openPrepared({ state })
    ;({ url } = environment)
  })

  afterAll(async () => {
    await browser?.close()
    await environment?.[Symbol.asyncDispose]()
  })

  /** Opens the page and records its requests, errors and warnings. */
  async function visit() {
    const context = await browser.newContext({ viewport: { width: 1280, height: 1600 } })
    const page = await context.newPage()
    const pageLog = { complaints: new Array<string>(), requests: new Array<string>() }
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) pageLog.complaints.push(message.text())
    })
    page.on("pageerror", (error) => pageLog.complaints.push(String(error)))
    page.on("request", (request) => pageLog.requests.push(request.url()))
    await page.goto(`${url}/api/v1/docs`)
    await page.locator(".opblock").first().waitFor()
    return { page, seen: pageLog, [Symbol.asyncDispose]: () => context.close() }
  }

  const open = async (page: Page, operation: string) => {
    const block = page.locator(".opblock", { has: page.getByText(operation, { exact: true }) })
    await block.locator(".opblock-summary-control").click()
    return block
  }

  test("the documentation page shows every operation and sends requests to its own origin only", async () => {
    await using visited = await visit()
    const { page, seen } = visited
    const ids = Object.values(description.paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ operationId }) => operationId)
    const listedIds = await page.locator(".opblock-summary-operation-id").allTextContents()
    expect(new Set(listedIds)).toEqual(new Set(ids))
    expect(listedIds).toHaveLength(ids.length)
    const groups = await page.locator(".opblock-tag").allTextContents()
    expect(groups.slice(0, 2).map((text) => text.trim())).toEqual(["auth", "user"])
    const list = await open(page, "listUsers")
    await list.getByRole("button", { name: "Try it out" }).click()
    const values = await list
      .locator(".parameters input")
      .evaluateAll((inputs) => inputs.map((input) => Object(input).value))
    // The limit is the default of the description.
    expect(values).toEqual(["20", "", "", "", "", ""])
    await open(page, "signUpEmail")
    expect(seen.complaints).toEqual([])
    expect(new Set(seen.requests.map((request) => new URL(request).origin))).toEqual(new Set([url]))
  })

  test("the documentation page is no wider than a telephone", async () => {
    await using visited = await visit()
    await visited.page.setViewportSize({ width: 375, height: 800 })
    await open(visited.page, "signUpEmail")
    expect(await visited.page.evaluate("document.documentElement.scrollWidth")).toBe(375)
  })

  test("the documentation page blocks injected scripts and styles", async () => {
    await using visited = await visit()
    const { page, seen } = visited
    await page.evaluate(`
      const script = document.createElement("script")
      script.textContent = "document.title = 'taken over'"
      document.body.append(script)
      document.body.setAttribute("style", "display: none")
    `)
    expect(await page.title()).toBe("Accounts API")
    expect(await page.locator(".swagger-ui").first().isVisible()).toBe(true)
    await expect
      .poll(() => seen.complaints)
      .toEqual([
        expect.stringContaining("script-src 'self'"),
        expect.stringContaining("style-src 'self'"),
      ])
  })

  test("the documentation page tries an operation out", async () => {
    await using visited = await visit()
    const { page, seen } = visited
    const block = await open(page, "health")
    await block.getByRole("button", { name: "Try it out" }).click()
    await block.getByRole("button", { name: "Execute" }).click()
    const answer = block.locator(".live-responses-table .response").first()
    await answer.waitFor()
    expect(await answer.locator(".response-col_status").textContent()).toContain("200")
    expect(await answer.textContent()).toContain('"status": "ok"')
    expect(seen.complaints).toEqual([])
  })
})

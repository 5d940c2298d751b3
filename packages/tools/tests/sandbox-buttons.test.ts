import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { startSandbox } from "@accounts-stack/local/sandbox/testing/sandbox-process"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"

import { browserMissing, openBrowser, openSite } from "./testing/browser/browser.ts"

const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/** The page that shows everything, for people. */
async function pageOf(sandbox: Sandbox): Promise<string> {
  const { json } = await sandbox.askAsOwner("/local/status")
  return sandbox.url + z.object({ page: z.string() }).parse(json).page
}

/** A tab that records its errors and warnings. */
async function openTab(browser: Browser) {
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text())
  })
  return { page, complaints, [Symbol.asyncDispose]: () => page.close() }
}

describe.skipIf(missing !== undefined)(`[browser]${note}`, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser("MAP *.test 127.0.0.1")
  })
  afterAll(() => browser?.close())

  const press = async (page: Page, name: string) => {
    await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name }).click()])
  }

  test("every button of the payment pages works", async () => {
    await using directory = await temporaryDirectory()
    await using shop = await openSite()
    await using sandbox = await startSandbox("payment", directory.path, "--port", "0")
    const keys = { secret: "api-key", webhookSecret: "webhook-key" }
    const webhookUrl = `http://localhost:${shop.port}/`
    await sandbox.askAsOwner("/local/keys", { method: "PUT", body: { ...keys, webhookUrl } })

    async function openCheckout(): Promise<string> {
      const answer = await fetch(`${sandbox.url}/v1/checkout/sessions`, {
        method: "POST",
        headers: { authorization: "Bearer api-key" },
        body: new URLSearchParams({
          mode: "payment",
          client_reference_id: "payment_1",
          "line_items[0][quantity]": "1",
          "line_items[0][price_data][currency]": "eur",
          "line_items[0][price_data][unit_amount]": "499",
          "line_items[0][price_data][product_data][name]": "Insights",
          success_url: `http://localhost:${shop.port}/paid`,
          cancel_url: `http://localhost:${shop.port}/cancelled`,
        }),
      })
      return z.object({ url: z.url() }).parse(await answer.json()).url
    }

    await using tab = await openTab(browser)
    const { page } = tab
    for (const [name, path] of [
      ["Cancel", "/cancelled"],
      ["Pay", "/paid"],
      ["Pay by bank transfer", "/paid"],
      ["Pay by bank transfer", "/paid"],
    ] as const) {
      await page.goto(await openCheckout())
      await page.getByRole("button", { name, exact: true }).click()
      await page.waitForURL(`http://localhost:${shop.port}${path}`)
    }

    await page.goto(await pageOf(sandbox))
    const state = () => page.getByText(/^payment_1: /).allTextContents()
    const before = ["complete, unpaid", "complete, unpaid", "complete, paid", "open, unpaid"]
    expect((await state()).toSorted()).toEqual(
      before.map((text) => `payment_1: ${text}`).toSorted(),
    )
    await page.getByRole("button", { name: "Let the transfer arrive" }).first().click()
    await page.getByText("payment_1: complete, paid").nth(1).waitFor()
    await press(page, "Let the transfer fail")
    for (const name of ["Refund it", "Let the bank dispute it", "Let the dispute be lost"]) {
      await page.getByRole("button", { name }).first().click()
      await page.waitForLoadState()
    }
    const after = ["complete, paid, refunded", "complete, paid, dispute lost"]
    for (const text of after) await page.getByText(`payment_1: ${text}`).waitFor()
    expect(page.url()).toBe(await pageOf(sandbox))
    expect(await page.getByRole("heading", { name: "Payments" }).count()).toBe(1)
    expect(tab.complaints).toEqual([])
  })

  test("the outbox can be emptied on its page", async () => {
    await using directory = await temporaryDirectory()
    await using sandbox = await startSandbox("mail", directory.path, "--port", "0")
    await sandbox.askAsOwner("/local/keys", { method: "PUT", body: { secret: "api-key" } })
    await fetch(`${sandbox.url}/send`, {
      method: "POST",
      headers: { authorization: "Bearer api-key", "content-type": "application/json" },
      body: JSON.stringify({
        from: "a@example.com",
        to: "b@example.com",
        subject: "Hello",
        text: "x",
      }),
    })
    await using tab = await openTab(browser)
    await tab.page.goto(await pageOf(sandbox))
    expect(await tab.page.getByRole("heading", { name: "Hello" }).count()).toBe(1)
    await tab.page.getByRole("button", { name: "Delete all" }).click()
    await tab.page.getByText("No e-mails yet").waitFor()
    expect(tab.complaints).toEqual([])
  })
})

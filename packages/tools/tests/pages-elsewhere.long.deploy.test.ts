import { readFileSync } from "node:fs"
import { join } from "node:path"

import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import * as z from "zod"

import { payment } from "../../local/sandbox/payment/payment.ts"
import { startSandboxHere } from "../../local/sandbox/testing/sandbox-here.ts"
import { root } from "../base/root.ts"
import { browserMissing } from "./testing/browser/browser.ts"
import { openEdgeBrowser } from "./testing/browser/edge-browser.ts"
import { deployExample } from "./testing/browser/front-end.ts"
import { createResult, payAt, signInAt, signUpAt } from "./testing/browser/page-visits.ts"
import { seal } from "./testing/stacks/stack-key.ts"
import {
  type TestStacks,
  openStacks,
  servedAt,
  stagingShaped,
} from "./testing/stacks/test-stacks.ts"

const api = "https://api.accounts.test"
/** A trusted origin under the same registrable domain. */
const app = "https://app.accounts.test"
/** A sibling of it that is not trusted. */
const blog = "https://blog.accounts.test"
const keys = { secret: "p".repeat(32), webhookSecret: "w".repeat(32) }
const StackFile = z.object({ config: z.record(z.string(), z.unknown()) })

const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

describe.skipIf(missing !== undefined)(`[browser]${note}`, () => {
  let stacks: TestStacks
  let browser: Browser
  let state: string

  beforeAll(async () => {
    stacks = await openStacks()
    const settings = { ...servedAt(api, app), "accounts:pages": { name: "Acme" } }
    const staging = await stacks.permanent("staging-shaped", stagingShaped(settings))
    await staging.up()
    const hostnames = [app, blog].map((origin) => new URL(origin).hostname)
    await deployExample(staging, { service: api, name: "example", hostnames })
    state = staging.state
    const { edgeTls } = staging.cloudflare
    browser = await openEdgeBrowser({ state, edgeTls, hostname: new URL(api).hostname })
  })

  afterAll(async () => {
    await browser?.close()
    await stacks?.[Symbol.asyncDispose]()
  })

  async function visit() {
    const context = await browser.newContext({ locale: "en" })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    return { context, page, [Symbol.asyncDispose]: () => context.close() }
  }

  function status(page: Page, text: string) {
    return page.getByRole("status").getByText(text).waitFor()
  }

  test("the site of a sibling host sends people to the pages and has them back, signed in and out again", async () => {
    await using visited = await visit()
    const { page, context } = visited
    const site = `${app}/with-pages?tab=2`
    await page.goto(site)
    await status(page, "Signed out")
    await page.getByRole("link", { name: "Sign up" }).click()
    await page.waitForURL(`${api}/sign-up?**`)
    expect(await page.title()).toBe("Create an account – Acme")
    await signUpAt(page, "grace@example.com")
    await page.waitForURL(site)
    await status(page, "Signed in as Grace")
    const shared = (await context.cookies()).filter(({ domain }) => domain === ".accounts.test")
    expect(shared).toMatchObject([
      { name: "__Secure-accounts-staging.session_token", httpOnly: true, secure: true },
    ])

    await page.getByRole("link", { name: "Sign out" }).click()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.waitForURL(site)
    await status(page, "Signed out")
    await page.getByRole("link", { name: "Sign in" }).click()
    await signInAt(page, "grace@example.com")
    await page.waitForURL(site)
    await status(page, "Signed in as Grace")
    // Nothing of the pages comes back once it is over: neither where it was, nor what it showed.
    await page.getByRole("link", { name: "Your account" }).click()
    await page.getByText("Signed in as Grace").waitFor()
    expect(await page.evaluate("document.cookie")).toBe("")
  })

  test("an untrusted sibling host gets no redirect, and its forms do nothing", async () => {
    await using visited = await visit()
    const { page, context } = visited
    await page.goto(`${api}/sign-up?return=${encodeURIComponent(`${blog}/with-pages`)}`)
    await signUpAt(page, "ada@example.com")
    await page.waitForURL(`${api}/account`)
    const cookies = await context.cookies()
    const forms = [
      { action: "/sign-out", fields: { act: "sign-out" } },
      { action: "/account", fields: { act: "save", name: "Mallory", language: "browser" } },
      { action: "/sign-in", fields: { act: "sign-in", email: "eve@example.com", password: "x" } },
    ]
    for (const { action, fields } of forms) {
      await page.goto(`${blog}/with-pages`)
      const inputs = Object.entries(fields).map(
        ([name, value]) => `<input name="${name}" value="${value}">`,
      )
      await page.setContent(
        `<form method="post" action="${api}${action}">${inputs.join("")}<button>Go</button></form>`,
      )
      await page.getByRole("button", { name: "Go" }).click()
      await page.getByText("Nothing has been changed").waitFor()
      expect(page.url()).toBe(`${api}${action}`)
    }
    expect(await context.cookies()).toEqual(cookies)
    await page.goto(`${api}/account`)
    await page.getByText("Signed in as Grace").waitFor()
    // Nor may it frame a page.
    await page.goto(`${blog}/with-pages`)
    await page.setContent(`<iframe src="${api}/account"></iframe>`)
    await expect
      .poll(() => page.frames().map((frame) => frame.url()))
      .toContain("chrome-error://chromewebdata/")
  })

  test("on a preview a visitor gets from a sign-up to a paid result only by clicks", async () => {
    const sandbox = await startSandboxHere(payment, state)
    await using stopped = new AsyncDisposableStack()
    stopped.defer(async () => void (await sandbox.stop()))
    const template = readFileSync(join(root, "environments/preview.local.yaml"), "utf8")
    const { config } = StackFile.parse(parse(template.replaceAll("{branch}", "pages")))
    const preview = await stacks.permanent("preview-pages", {
      ...config,
      "accounts:pages": true,
      "accounts:paymentUrl": sandbox.url,
      "accounts:secrets": {
        PAYMENT_SECRET: seal(keys.secret),
        PAYMENT_WEBHOOK_SECRET: seal(keys.webhookSecret),
      },
    })
    const url = String((await preview.up()).outputs["url"])
    const webhookUrl = `${url}/api/v1/processWebhook`
    await sandbox.askAsOwner("/local/keys", { method: "PUT", body: { ...keys, webhookUrl } })

    await using visited = await visit()
    const { page, context } = visited
    await page.goto(url)
    await page.getByRole("link", { name: "Create an account" }).click()
    await signUpAt(page, "mary@example.com")
    await page.waitForURL(`${url}/account`)
    // Nothing here is of `local`.
    expect(await page.getByRole("complementary").count()).toBe(0)
    await createResult(context, url)
    await payAt(page, url)
    expect(page.url()).toMatch(new RegExp(`^${url}/payments/payment_`))
  })
})

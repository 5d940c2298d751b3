import { serve } from "@accounts-stack/local/daemon/testing/serve"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { keepWebPort } from "../cli/process/web-port.ts"
import { browserMissing, fetchFrom } from "./testing/browser/browser.ts"
import { openEdgeBrowser } from "./testing/browser/edge-browser.ts"
import { deployFrontEnd, frontEndPage } from "./testing/browser/front-end.ts"
import { signInAt, signUpAt } from "./testing/browser/page-visits.ts"
import {
  openStacks,
  servedAt,
  stagingShaped,
  type TestStack,
  type TestStacks,
} from "./testing/stacks/test-stacks.ts"

const shop = "https://shop.accounts.test"

const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

describe.skipIf(missing !== undefined)(`[browser]${note}`, () => {
  let stacks: TestStacks
  let staging: TestStack
  let browser: Browser

  beforeAll(async () => {
    stacks = await openStacks()
    staging = await stacks.permanent(
      "staging-shaped",
      stagingShaped({
        ...servedAt(shop),
        "accounts:cookieDomain": undefined,
        "accounts:attach": "paths",
        "accounts:pages": { name: "Shop" },
      }),
    )
    const hostname = new URL(shop).hostname
    await deployFrontEnd(staging, { service: shop, name: "shop", hostnames: [hostname] })
    await staging.up()
    const { state, cloudflare } = staging
    browser = await openEdgeBrowser({ state, edgeTls: cloudflare.edgeTls, hostname })
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

  test("on the host of a front end a visitor signs up and in by pages, with cookies of that host only", async () => {
    await using visited = await visit()
    const { page, context } = visited
    const cart = `${shop}/cart?of=2`
    await page.goto(cart)
    await showsStatus(page, "Signed out")
    await page.goto(`${shop}/sign-up?return=${encodeURIComponent(cart)}`)
    await signUpAt(page, "grace@example.com")
    await page.waitForURL(cart)
    await showsStatus(page, "Signed in as grace@example.com")
    await expectHostOnly(context, "shop.accounts.test")

    await page.getByRole("button", { name: "Sign out" }).click()
    await showsStatus(page, "Signed out")
    await page.goto(`${shop}/sign-in?return=${encodeURIComponent(cart)}`)
    await signInAt(page, "grace@example.com")
    await page.waitForURL(cart)
    await showsStatus(page, "Signed in as grace@example.com")
    expect(await page.evaluate("document.cookie")).toBe("")
    // Its style is the Worker's as well.
    await page.goto(`${shop}/account`)
    await page.getByRole("heading", { name: "Profile" }).waitFor()
    expect(await page.evaluate("document.styleSheets[0].cssRules.length > 0")).toBe(true)
  })

  test("the front end keeps every path that is neither the API's nor a page's, with / and its own names", async () => {
    await using visited = await visit()
    const { page } = visited
    await page.goto(`${shop}/`)
    const pagesOfShop = [
      "/",
      "/cart",
      "/verified",
      "/apiary",
      "/blog/sign-in",
      "/.well-known/security.txt",
    ]
    for (const path of pagesOfShop) {
      const { text } = Object(await fetchFrom(page, { url: `${shop}${path}` }))
      expect({ path, isFrontEnd: text.includes("<h1>Front end</h1>") }).toEqual({
        path,
        isFrontEnd: true,
      })
    }
    const servicePaths = [
      "/api/v1/settings",
      "/api/none",
      "/sign-in",
      "/account?x=1",
      "/admin/none",
    ]
    for (const path of servicePaths) {
      const { text } = Object(await fetchFrom(page, { url: `${shop}${path}` }))
      expect({ path, isFrontEnd: text.includes("<h1>Front end</h1>") }).toEqual({
        path,
        isFrontEnd: false,
      })
    }
  })

  test("a preview on this machine does the same, before the server of a developer's front end", async () => {
    const served = { api: "" }
    await using server = await serve((_request, response) => {
      response.setHeader("content-type", "text/html").end(frontEndPage(served.api))
    })
    keepWebPort(staging.state, server.port)
    const preview = await stacks.permanent("preview-shop", {
      "accounts:environment": "preview",
      "accounts:accountId": staging.cloudflare.accountId,
      "accounts:zone": "localhost",
      "accounts:apiOrigin": "http://shop.localhost:8787",
      "accounts:webOrigin": "http://shop.localhost:8787",
      "accounts:attach": "paths",
      "accounts:pages": true,
    })
    const url = String((await preview.up()).outputs["url"])
    served.api = url
    await using visited = await visit()
    const { page, context } = visited
    await page.goto(`${url}/cart`)
    await showsStatus(page, "Signed out")
    await page.goto(`${url}/sign-up?return=${encodeURIComponent(`${url}/cart`)}`)
    await signUpAt(page, "mary@example.com")
    await page.waitForURL(`${url}/cart`)
    await showsStatus(page, "Signed in as mary@example.com")
    await expectHostOnly(context, "shop.localhost")
  })
})

function showsStatus(page: Page, text: string) {
  return page.getByRole("status").getByText(text).waitFor()
}

/** A cookie with a domain has a dot before it. */
async function expectHostOnly(context: BrowserContext, host: string) {
  const cookies = await context.cookies()
  expect(cookies.length).toBeGreaterThan(1)
  expect(new Set(cookies.map(({ domain }) => domain))).toEqual(new Set([host]))
  expect(cookies.filter(({ httpOnly }) => !httpOnly)).toEqual([])
}

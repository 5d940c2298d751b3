import { readFileSync } from "node:fs"
import { join } from "node:path"

import { serve } from "@accounts-stack/local/daemon/testing/serve"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import * as z from "zod"

import { root } from "../base/root.ts"
import { browserMissing, fetchFrom } from "./testing/browser/browser.ts"
import { openEdgeBrowser } from "./testing/browser/edge-browser.ts"
import { deployFrontEnd, frontEndPage } from "./testing/browser/front-end.ts"
import {
  openStacks,
  servedAt,
  stagingShaped,
  type TestStack,
  type TestStacks,
} from "./testing/stacks/test-stacks.ts"

/** Production shares its cookie with every host below it, and so with those of staging. */
const production = { api: "https://api.accounts.test", web: "https://app.accounts.test" }
const staging = {
  api: "https://api.staging.accounts.test",
  web: "https://app.staging.accounts.test",
}

type Site = typeof production

/** White space to some reader of cookies, and to no grammar of theirs. */
const spaces =
  "\u00a0\u1680\u2000\u2003\u2028\u2029\u202f\u205f\u3000\ufeff\u000b\u000c\u0085\u200b".split("")

const StackFile = z.object({ config: z.record(z.string(), z.unknown()) })

const missing = await browserMissing()
const note = missing ? ` skipped: ${missing}` : ""

describe.skipIf(missing !== undefined)(`[browser]${note}`, () => {
  let stacks: TestStacks
  let first: TestStack
  let browser: Browser
  let context: BrowserContext

  beforeAll(async () => {
    stacks = await openStacks()
    first = await stacks.permanent("production-shaped", permanent("production", production))
    await deploy(first, production)
    await deploy(await stacks.permanent("staging-shaped", permanent("staging", staging)), staging)
    const { state, cloudflare } = first
    const hostname = new URL(production.api).hostname
    browser = await openEdgeBrowser({ state, edgeTls: cloudflare.edgeTls, hostname })
    context = await browser.newContext()
  })

  afterAll(async () => {
    await browser?.close()
    await stacks?.[Symbol.asyncDispose]()
  })

  async function deploy(site: TestStack, { api, web }: Site): Promise<void> {
    const { stack } = site
    await site.up()
    await deployFrontEnd(site, {
      service: api,
      name: `front-end-of-${stack.name}`,
      hostnames: [new URL(web).hostname],
    })
  }

  test("a browser that is signed in to production signs in to staging beside it, and stays so", async () => {
    const live = await signUpAt(context, production.web, "ada@example.com")
    const signUp = await signUpAt(context, staging.web, "grace@example.com")
    for (const [page, address] of [
      [live, "ada@example.com"],
      [signUp, "grace@example.com"],
    ] as const) {
      await page.reload()
      await expect.poll(() => status(page)).toBe(`Signed in as ${address}`)
    }
    const cookies = (await context.cookies()).map(({ name, domain }) => `${name} of ${domain}`)
    expect(cookies.toSorted()).toEqual([
      "__Host-accounts-production.session_binding of api.accounts.test",
      "__Host-accounts-production.signed_up of api.accounts.test",
      "__Host-accounts-staging.session_binding of api.staging.accounts.test",
      "__Host-accounts-staging.signed_up of api.staging.accounts.test",
      "__Secure-accounts-production.session_token of .accounts.test",
      "__Secure-accounts-staging.session_token of .staging.accounts.test",
    ])
  })

  test("what a sibling plants under almost the names of the service is nothing to it", async () => {
    await using mallory = await browser.newContext()
    await signUpAt(mallory, production.web, "mallory@example.com")
    const ownCookies = await mallory.cookies(production.api)
    await using victim = await browser.newContext()
    const sibling = await victim.newPage()
    await sibling.goto(`${staging.web}/`)
    const near = ownCookies.flatMap(({ name, value }) =>
      spaces
        .flatMap((space) => [`${space}${name}`, `${name}${space}`, `${space}${name}${space}`])
        .map((almost) => `${almost}=${value}`),
    )
    const planted = [...near, "last=1"].map(
      (cookie) => `${cookie}; Domain=accounts.test; Path=/api; Secure`,
    )
    await sibling.evaluate((lines) => {
      const { document } = globalThis as unknown as { document: { cookie: string } }
      for (const line of lines) document.cookie = line
    }, planted)
    // Chromium takes them, since its prefixes are of the exact name, and it takes them in turn.
    const victimCookies = async () => await victim.cookies(`${production.api}/api/auth/get-session`)
    await expect.poll(async () => (await victimCookies()).map(({ name }) => name)).toContain("last")
    expect((await victimCookies()).length).toBeGreaterThan(10)
    const page = await victim.newPage()
    await page.goto(`${production.web}/`)
    await expect.poll(() => status(page)).toBe("Signed out")
    const fetches = ["/api/auth/get-session", "/api/v1/getProfile", "/api/auth/list-accounts"].map(
      (path) => fetchFrom(page, { url: `${production.api}${path}`, credentials: "include" }),
    )
    const [session, profile, accounts] = await Promise.all(fetches)
    expect(session).toEqual({ status: 200, text: "null" })
    expect([profile, accounts]).toMatchObject([{ status: 401 }, { status: 401 }])
  })

  test("a browser signs in to a preview at the hosts of its shipped template", async () => {
    const { config } = template("preview.yaml", (text) =>
      text.replaceAll("example.dev", "accounts.test").replace(/0{32}/, first.cloudflare.accountId),
    )
    const baseUrl = first.cloudflare.api
    const preview = await stacks.permanent("preview-login", {
      ...config,
      "cloudflare:baseUrl": baseUrl,
    })
    const site = {
      api: String(config["accounts:apiOrigin"]),
      web: String(config["accounts:webOrigin"]),
    }
    await deploy(preview, site)
    const page = await signUpAt(context, site.web, "mary@example.com")
    await page.reload()
    await expect.poll(() => status(page)).toBe("Signed in as mary@example.com")
  })

  test("a browser signs in to a preview on this machine, from a page below the API's name", async () => {
    await using page = await servePage()
    const { config } = template("preview.local.yaml", (text) => text.replace("5173", page.port))
    const preview = await stacks.permanent("preview-here", config)
    const { url } = (await preview.up()).outputs
    page.api = String(url)
    // Chromium itself leads *.localhost to this machine.
    await using plain = await browser.newContext()
    const tab = await signUpAt(plain, String(config["accounts:webOrigin"]), "joan@example.com")
    await tab.reload()
    await expect.poll(() => status(tab)).toBe("Signed in as joan@example.com")
  })
})

function permanent(environment: "production" | "staging", { api, web }: Site) {
  return stagingShaped({ "accounts:environment": environment, ...servedAt(api, web) })
}

/** A shipped template of previews, filled in for the branch `login`. */
function template(name: string, change: (text: string) => string) {
  const text = readFileSync(join(root, "environments", name), "utf8")
  return StackFile.parse(parse(change(text).replaceAll("{branch}", "login")))
}

function status(page: Page) {
  return page.getByRole("status").textContent()
}

async function signUpAt(context: BrowserContext, web: string, email: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${web}/`)
  await expect.poll(() => status(page)).toBe("Signed out")
  await page.getByLabel("E-mail").fill(email)
  await page.getByLabel("Password").fill("correct horse battery")
  await page.getByRole("button", { name: "Sign up" }).click()
  await expect.poll(() => status(page)).toBe(`Signed in as ${email}`)
  return page
}

/** A developer's server of the front end, under every name of this machine. */
async function servePage() {
  const served = { api: "", port: "" }
  const server = await serve((_request, response) => {
    response.setHeader("content-type", "text/html").end(frontEndPage(served.api))
  })
  served.port = String(server.port)
  return Object.assign(served, { [Symbol.asyncDispose]: server[Symbol.asyncDispose] })
}

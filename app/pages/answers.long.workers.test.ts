import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { pages } from "../pages.ts"
import { bind } from "../testing/browser.ts"
import { createFailingDatabase } from "../testing/failing-database.ts"
import { openPageOwner } from "../testing/page-owner.ts"
import { createReader } from "../testing/page-reader.ts"

const bound = bind({ PAGES: "true", LIMIT_EMAIL: undefined, LIMIT_ADDRESS: undefined })
const sameOrigin = { origin: "http://localhost:8787", "sec-fetch-site": "same-origin" }
const form = { ...sameOrigin, "content-type": "application/x-www-form-urlencoded" }
const secret = "a-secret-that-a-letter-brought"

type Reader = ReturnType<typeof createReader>

/** The same browser at a service in another state. */
function at(changes: Parameters<typeof bind>[0], { browser }: Reader) {
  const reader = createReader({ ...bound, ...changes })
  for (const [name, value] of browser.cookies) reader.browser.cookies.set(name, value)
  return reader
}

/** The status that each leads to, on some page at least. */
const expected: Record<string, number> = {
  "a visit": 200,
  "a visit from elsewhere": 200,
  "a visit of a robot": 200,
  "a form with no act": 400,
  "a form from elsewhere": 403,
  "a form that is too large": 413,
  "another method": 405,
  "an outage": 503,
  "a misconfigured service": 503,
}

/** Every way that a page may answer, by what it is asked. */
const requests: Record<string, (reader: Reader, path: string) => Promise<Response>> = {
  "a visit": ({ browser }, path) => browser.send("GET", path, { headers: sameOrigin }),
  "a visit from elsewhere": ({ browser }, path) => browser.send("GET", path),
  "a visit of a robot": ({ browser }, path) => browser.send("HEAD", path, { headers: sameOrigin }),
  "a form with no act": ({ browser }, path) =>
    browser.send("POST", path, { headers: form, body: "act=nothing" }),
  "a form from elsewhere": ({ browser }, path) =>
    browser.send("POST", path, { headers: { ...form, origin: "null" }, body: "act=nothing" }),
  "a form that is too large": ({ browser }, path) =>
    browser.send("POST", path, { headers: form, body: `act=${"x".repeat(200_000)}` }),
  "another method": ({ browser }, path) => browser.send("DELETE", path, { headers: sameOrigin }),
  "an outage": (reader, path) =>
    at({ DB: createFailingDatabase(env.DB, /select/i) }, reader).browser.send("GET", path, {
      headers: sameOrigin,
    }),
  "a misconfigured service": (reader, path) =>
    at({ AUTH_SECRET: "short" }, reader).browser.send("GET", path, { headers: sameOrigin }),
}

test.each(Object.entries(requests))(
  "%s: no answer of any page is framed, kept, sniffed or told to another site",
  async (name, ask) => {
    const owner = await openPageOwner(bound)
    const statuses = new Set<number>()
    for (const path of [...pages.map((page) => page.path), "/nothing-here"]) {
      for (const reader of [owner.reader, createReader(bound)]) {
        // Some sign out.
        const before = new Map(reader.browser.cookies)
        const { status, headers } = await ask(reader, path.replace(":id", owner.id))
        for (const [cookie, value] of before) reader.browser.cookies.set(cookie, value)
        statuses.add(status)
        expect({
          path,
          policy: headers.get("content-security-policy"),
          "cache-control": headers.get("cache-control"),
          "referrer-policy": headers.get("referrer-policy"),
          "x-content-type-options": headers.get("x-content-type-options"),
          "strict-transport-security": headers.get("strict-transport-security"),
          "access-control-allow-origin": headers.get("access-control-allow-origin"),
        }).toEqual({
          path,
          policy: expect.stringMatching(/^default-src 'none';.* frame-ancestors 'none'/),
          "cache-control": "no-store",
          "referrer-policy": expect.stringMatching(/^(same-origin|no-referrer)$/),
          "x-content-type-options": "nosniff",
          "strict-transport-security": expect.stringContaining("max-age="),
          "access-control-allow-origin": null,
        })
      }
    }
    expect([...statuses]).toContain(expected[name])
  },
)

test("after a sign-out, every page of the account asks to sign in", async () => {
  const { reader, id } = await openPageOwner(bound)
  const before = new Map(reader.browser.cookies)
  const page = await reader.open("/sign-out")
  await reader.submit(page, "sign-out")
  // Restores the cookies, like a browser that kept them or a thief.
  for (const [name, value] of before) reader.browser.cookies.set(name, value)
  const closed = pages.filter(({ audience }) => audience !== "anyone")
  for (const { path } of closed) {
    const signIn = await reader.open(path.replace(":id", id), sameOrigin)
    expect(signIn.at).toMatch(/^\/sign-in\?return=/)
    expect(signIn.text).not.toContain("Ona")
  }
  expect(closed.length).toBeGreaterThan(15)
})

test("no page repeats what an emailed link contained, wherever it is opened", async () => {
  const { reader, id } = await openPageOwner(bound)
  const search = `?token=${secret}&invitation=${secret}&error=PASSWORD_REQUIRED`
  let looked = 0
  for (const { path } of pages) {
    for (const visitor of [reader, createReader(bound)]) {
      const page = await visitor.open(`${path.replace(":id", id)}${search}`, sameOrigin)
      // A page that asks for a sign-in first keeps where it is to lead.
      if (page.at.startsWith("/sign-in?return=")) continue
      const links = page.html.match(/(?:href|action|src|value)="[^"]*"/g) ?? []
      expect({ path, told: links.filter((link) => link.includes(secret)) }).toEqual({
        path,
        told: [],
      })
      looked += 1
    }
  }
  expect(looked).toBeGreaterThan(pages.length)
})

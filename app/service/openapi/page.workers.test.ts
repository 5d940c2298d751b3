import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { createBrowser } from "../../testing/browser.ts"

const page = "/api/v1/docs"

function linksOf(html: string) {
  return [...html.matchAll(/ (?:href|src)="(\/[^"]+)"/g)].map(([, link = ""]) => link)
}

test("the API documentation page has no inline script or style, and a policy that forbids them", async () => {
  const response = await createBrowser().get(page)
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "accounts-version": env.VERSION.id,
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  })
  const policy = response.headers.get("content-security-policy") ?? ""
  expect(policy.split("; ").toSorted()).toEqual([
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    "script-src 'self'",
    "style-src 'self'",
  ])
  expect(await response.text()).not.toMatch(/<style| style=| on\w+=|<script(?![^>]* src="\/)/)
})

test("the API documentation page can load everything it links to", async () => {
  const browser = createBrowser()
  const links = linksOf(await (await browser.get(page)).text())
  expect(links).toEqual([`${page}/swagger-ui.css`, `${page}/swagger-ui.js`, `${page}/start.js`])
  for (const link of links) {
    const response = await browser.get(link)
    expect(response.status, link).toBe(200)
    expect(response.headers.get("content-type")).toBe(
      `text/${link.endsWith(".css") ? "css" : "javascript"}; charset=utf-8`,
    )
    expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    expect((await response.text()).length).toBeGreaterThan(100)
  }
})

test("the API documentation page is read-only", async () => {
  const browser = createBrowser()
  const head = await browser.send("HEAD", page)
  expect(head.status).toBe(200)
  expect(await head.text()).toBe("")
  for (const path of [page, "/api/v1/openapi.json"]) {
    const response = await browser.post(path, {})
    expect(response.status, path).toBe(405)
    expect(response.headers.get("allow")).toBe("GET, HEAD")
  }
  expect((await browser.get(`${page}/nothing.js`)).status).toBe(404)
  expect((await browser.get(`${page}/`)).status).toBe(404)
})

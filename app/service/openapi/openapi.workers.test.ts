import { env } from "cloudflare:workers"
import { expect, test } from "vitest"

import { descriptionOf } from "../../../infra/openapi/descriptions.ts"
import { describeApi } from "../../../infra/openapi/document.ts"
import { createBrowser } from "../../testing/browser.ts"
import { offeredPaths } from "../routes/endpoints.ts"
import committed from "./openapi.json"

test("the committed OpenAPI description matches the code; if not, run npm run openapi", async () => {
  const described: unknown = JSON.parse(JSON.stringify(await describeApi()))
  expect(described).toEqual(committed)
})

test("an operation without a description is named by npm run openapi", () => {
  expect(() => descriptionOf({ getEntry: {} }, "createEntry")).toThrow(/descriptions.*createEntry/)
})

test("the OpenAPI description is served as committed, to anyone", async () => {
  const response = await createBrowser().get("/api/v1/openapi.json")
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("application/json")
  expect(await response.json()).toEqual(committed)
})

test("the OpenAPI description describes every authentication route that is offered, and no other", () => {
  const described = Object.keys(committed.paths).filter((path) => path.startsWith("/api/auth/"))
  const offered = offeredPaths.map(
    ({ path }) =>
      `/api/auth${path.replace(":id", "{provider}").replaceAll(/:(\w+)/g, (_, name: string) => `{${name}}`)}`,
  )
  expect(described.toSorted()).toEqual(offered.toSorted())
})

test("the OpenAPI description gives every operation a unique id in camel case, a summary, and errors with examples", () => {
  const operations = Object.values(committed.paths).flatMap((item) => Object.values(item))
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(operations.length)
  expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]*$/.test(id))).toEqual([])
  // Readers of the description assume a session for an operation without `security`.
  expect(operations.filter(({ security }) => !Array.isArray(security))).toEqual([])
  for (const { summary, responses } of operations) {
    expect(summary).not.toBe("")
    expect(Object.keys(responses).length).toBeGreaterThan(1)
  }
  for (const { content } of Object.values(committed.components.responses)) {
    expect(Object.keys(content["application/json"].examples).length).toBeGreaterThan(0)
  }
})

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

import { expect, test } from "vitest"

import { describeApi } from "../../../infra/openapi/document.ts"
import { createBrowser } from "../../testing/browser.ts"
import { offeredPaths } from "../auth/endpoints.ts"
import committed from "./openapi.json"

test("the committed OpenAPI description matches the code; if not, run npm run openapi", async () => {
  const described: unknown = JSON.parse(JSON.stringify(await describeApi()))
  expect(described).toEqual(committed)
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
  // What has none takes a session by default, for readers of the description.
  expect(operations.filter(({ security }) => !Array.isArray(security))).toEqual([])
  for (const { summary, responses } of operations) {
    expect(summary).not.toBe("")
    expect(Object.keys(responses).length).toBeGreaterThan(1)
  }
  for (const { content } of Object.values(committed.components.responses)) {
    expect(Object.keys(content["application/json"].examples).length).toBeGreaterThan(0)
  }
})

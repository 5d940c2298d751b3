import { expect, test } from "vitest"

import { rareRouter } from "../../rare-router.ts"
import { router } from "../../router.ts"
import { createBrowser } from "../../testing/browser.ts"

test("a procedure is in one of the two routers", () => {
  expect(Object.keys(rareRouter).filter((name) => name in router)).toEqual([])
})

test("a procedure that is loaded late is found by its path and its method, and nothing else is", async () => {
  const { get, post } = createBrowser()
  const statuses = [
    (await get("/api/v1/exportData")).status,
    (await post("/api/v1/exportData", {})).status,
    (await post("/api/v1/suspendUser", {})).status,
    (await get("/api/v1/toString")).status,
    (await get("/api/v1/exportdata")).status,
  ]
  expect(statuses).toEqual([401, 405, 401, 404, 404])
})

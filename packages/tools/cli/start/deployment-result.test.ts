import { expect, test } from "vitest"

import { deploymentTable, firstPageOf } from "./deployment-result.ts"

test("where the service has pages, the first address is one where a person can sign up", () => {
  const outputs = { url: "http://localhost:8787" }
  const firstPage = firstPageOf({ "accounts:pages": true }) ?? ""
  const [first] = deploymentTable(
    { stack: "local", provider: "official", changes: {}, outputs, milliseconds: 1 },
    { api: "http://127.0.0.1:8790/client/v4" },
    { signUp: `${outputs.url}${firstPage}` },
  ).split("\n")
  expect(first).toMatch(/^ {2}sign up +http:\/\/localhost:8787\/sign-up$/)
  expect(firstPageOf({})).toBeUndefined()
})

test("the first address of the table is a page that a person can open", () => {
  const outputs = { url: "http://localhost:8787" }
  const [first] = deploymentTable(
    { stack: "local", provider: "official", changes: {}, outputs, milliseconds: 1 },
    { api: "http://127.0.0.1:8790/client/v4" },
  ).split("\n")
  expect(first).toMatch(/^ {2}API page +http:\/\/localhost:8787\/api\/v1\/docs$/)
})

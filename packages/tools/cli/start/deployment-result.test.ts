import { expect, test } from "vitest"

import { deploymentTable } from "./deployment-result.ts"

test("the first address of the table is a page that a person can open", () => {
  const outputs = { url: "http://localhost:8787" }
  const [first] = deploymentTable(
    { stack: "local", provider: "official", changes: {}, outputs, milliseconds: 1 },
    { api: "http://127.0.0.1:8790/client/v4" },
  ).split("\n")
  expect(first).toMatch(/^ {2}API page +http:\/\/localhost:8787\/api\/v1\/docs$/)
})

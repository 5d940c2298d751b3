import { expect, test } from "vitest"

import { importInputs, refreshInputs } from "./inputs.ts"
import { resources } from "./resources.ts"
import { worker } from "./worker.ts"

const accountId = "6163636f756e74736c6f63616c000001"

test("refreshed inputs are the program's properties with their current values", () => {
  const inputs = { accountId, name: "one", tags: ["b", "a"], subdomain: { enabled: true } }
  const state = {
    ...inputs,
    logpush: true,
    tags: ["a", "b"],
    subdomain: { enabled: false, previewsEnabled: true, url: "https://one.workers.dev" },
  }
  expect(refreshInputs(worker, inputs, state)).toEqual({
    ...inputs,
    subdomain: { enabled: false },
  })
  expect(refreshInputs(worker, inputs, { ...state, tags: ["a", "c"] })).toMatchObject({
    tags: ["a", "c"],
  })
})

test("an import needs every property that differs from its default", () => {
  const { fields = {} } = resources["cloudflare:index/d1Database:D1Database"] ?? {}
  const database = { accountId, name: "one", uuid: "u", numTables: 3 }
  expect(importInputs(fields, { ...database, readReplication: { mode: "auto" } })).toEqual({
    accountId,
    name: "one",
    readReplication: { mode: "auto" },
  })
  const state = { accountId, name: "one", logpush: false, tags: ["a"], createdOn: "2026-01-01" }
  expect(importInputs(worker, state)).toEqual({ accountId, name: "one", tags: ["a"] })
})

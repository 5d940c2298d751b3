import { expect, test } from "vitest"

import { importInputs, refreshInputs, sameLengths } from "./inputs.ts"
import { resources } from "./resources.ts"
import { workerVersion } from "./worker-version.ts"
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

test("an added or removed binding is detected, so that secret paths are not mixed up", () => {
  const a = { name: "A", type: "plain_text", text: "a" }
  const b = { name: "B", type: "secret_text", text: "b" }
  const inputs = { accountId, workerId: "w", bindings: [a, b] }
  const refreshed = refreshInputs(workerVersion, inputs, { ...inputs, bindings: [b] })
  expect(refreshed.bindings).toEqual([b])
  expect(sameLengths(inputs, refreshed)).toBe(false)
  expect(sameLengths(inputs, refreshInputs(workerVersion, inputs, inputs))).toBe(true)
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

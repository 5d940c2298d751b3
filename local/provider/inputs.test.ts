import { expect, test } from "vitest"

import { importInputs, refreshInputs, sameLengths } from "./inputs.ts"
import { resources } from "./resources.ts"
import { workerVersion } from "./worker-version.ts"
import { worker } from "./worker.ts"

const accountId = "6163636f756e74736c6f63616c000001"

test("refreshed inputs hold what the program set, with the values of now", () => {
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

test("a binding that came or went is seen, so that secrets are not taken for others", () => {
  const a = { name: "A", type: "plain_text", text: "a" }
  const b = { name: "B", type: "secret_text", text: "b" }
  const inputs = { accountId, workerId: "w", bindings: [a, b] }
  const refreshed = refreshInputs(workerVersion, inputs, { ...inputs, bindings: [b] })
  expect(refreshed.bindings).toEqual([b])
  expect(sameLengths(inputs, refreshed)).toBe(false)
  expect(sameLengths(inputs, refreshInputs(workerVersion, inputs, inputs))).toBe(true)
})

test("an import asks for all that is not the default", () => {
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

import { expect, test } from "vitest"

import { importInputs, refreshInputs } from "./check.ts"
import { resources } from "./resources.ts"
import { worker } from "./worker.ts"

const accountId = "6163636f756e74736c6f63616c000001"

test("refreshed inputs are the program's properties with their current values", () => {
  const inputs = {
    accountId,
    name: "one",
    tags: ["b", "a"],
    subdomain: { enabled: true },
    tailConsumers: [{ name: "x" }, { name: "y" }],
  }
  const state = {
    ...inputs,
    logpush: true,
    tags: ["a", "b", "c"],
    subdomain: { enabled: false, previewsEnabled: true, url: "https://one.workers.dev" },
    tailConsumers: [{ name: "z" }, { name: "y" }, { name: "x" }],
  }
  expect(refreshInputs(worker, inputs, state)).toEqual({
    ...inputs,
    tags: ["a", "b"],
    subdomain: { enabled: false },
  })
  const fewer = { ...state, tags: ["c"], tailConsumers: [{ name: "z" }] }
  expect(refreshInputs(worker, inputs, fewer)).toMatchObject({
    tags: ["c"],
    tailConsumers: [{ name: "z" }],
  })
})

test("an import gives what is required and what is neither zero nor empty, also a default", () => {
  const { fields = {} } = resources["cloudflare:index/d1Database:D1Database"] ?? {}
  const database = { accountId, name: "one", uuid: "u", numTables: 3 }
  expect(importInputs(fields, { ...database, readReplication: { mode: "auto" } })).toEqual({
    accountId,
    name: "one",
    readReplication: { mode: "auto" },
  })
  const observability = { enabled: false, headSamplingRate: 1, traces: { enabled: false } }
  const state = { accountId, name: "one", logpush: false, tags: ["a"], createdOn: "2026-01-01" }
  expect(importInputs(worker, { ...state, observability })).toEqual({
    accountId,
    name: "one",
    tags: ["a"],
    observability: { headSamplingRate: 1 },
  })
})

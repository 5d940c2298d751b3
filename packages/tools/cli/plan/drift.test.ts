import { secretSignature } from "@accounts-stack/pulumi-host/properties"
import { expect, test } from "vitest"

import { expectNoLeak } from "../../tests/testing/secrets/secret-forms.ts"
import { findDrift } from "./drift.ts"
import type { Step } from "./step.ts"

const canary = 'canary/of a "real" account+&=\\0123456789'

function version(bindings: Record<string, unknown>): Step["before"] {
  return { inputs: { bindings }, outputs: {}, hideDiffs: [], protect: false }
}

test("a secret that was changed, added or removed by hand is named, and never shown", () => {
  const sealed = secretSignature
  const bare = { type: "secret_text", text: canary }
  const drift = findDrift([
    {
      operation: "refresh",
      type: "Version",
      name: "accounts",
      internal: false,
      before: version({ MAIL_SECRET: { ...sealed, value: canary }, SMOKE_KEY: bare, OPEN: bare }),
      after: version({
        AUTH_SECRET: bare,
        MAIL_FROM: { type: "plain_text", text: "by-hand@example.com" },
        // A key that was entered as a plain variable.
        PAYMENT_SECRET: { type: "plain_text", text: canary },
        SMOKE_KEY: { ...bare, text: `${canary}!` },
        STRIPE: { type: "json", json: { key: canary } },
        STRIPE_KEY: { type: "plain_text", text: canary },
      }),
      differences: {},
      replacing: [],
    },
  ])
  expect(drift.map(({ key, recorded, found }) => ({ key, recorded, found }))).toEqual([
    { key: "binding AUTH_SECRET", recorded: undefined, found: "a secret" },
    { key: "binding MAIL_FROM", recorded: undefined, found: "by-hand@example.com" },
    { key: "binding MAIL_SECRET", recorded: "a secret", found: undefined },
    { key: "binding OPEN", recorded: "a secret", found: undefined },
    { key: "binding PAYMENT_SECRET", recorded: undefined, found: "a value" },
    { key: "binding SMOKE_KEY", recorded: "a secret", found: "a secret" },
    { key: "binding STRIPE", recorded: undefined, found: "a value" },
    { key: "binding STRIPE_KEY", recorded: undefined, found: "a value" },
  ])
  expectNoLeak(JSON.stringify(drift), { canary })
})

test("words that the account never had are no drift", () => {
  const after = version({})
  const before = after && { ...after, inputs: { ...after.inputs, lasting: { PASSKEYS: "lost" } } }
  const step = { operation: "refresh", type: "Version", name: "accounts", internal: false } as const
  expect(findDrift([{ ...step, before, after, differences: {}, replacing: [] }])).toEqual([])
})

function worker(tags: string[], tailConsumers: string[], traces: object = {}): Step["before"] {
  const consumers = tailConsumers.map((name) => ({ name }))
  const rest = { observability: { traces }, updatedOn: tags.join() }
  return {
    inputs: { name: "accounts", tags: tags.slice(0, 2) },
    outputs: { name: "accounts", tags, tailConsumers: consumers, ...rest },
    hideDiffs: ["updatedOn"],
    protect: false,
  }
}

function driftOf(before: Step["before"], after: Step["before"]) {
  const rest = { internal: false, differences: {}, replacing: [] }
  return findDrift([
    { operation: "refresh", type: "Worker", name: "accounts", before, after, ...rest },
  ])
}

test("an addition by hand to a list of a Worker is drift, although its inputs are as they were", () => {
  const [before, after] = [
    worker(["environment=staging", "ours"], []),
    worker(["environment=staging", "ours", "theirs"], ["listener"]),
  ]
  expect(driftOf(before, after)).toMatchObject([
    {
      key: "tags",
      recorded: '["environment=staging","ours"]',
      found: '["environment=staging","ours","theirs"]',
    },
    { key: "tailConsumers", recorded: "[]", found: "listener" },
  ])
})

test("another order of tags or tail consumers is no drift: Cloudflare keeps sets", () => {
  const before = worker(["environment=preview", "branch=main"], ["zed", "listener"])
  const after = worker(["branch=main", "environment=preview"], ["listener", "zed"])
  expect(driftOf(before, after)).toEqual([])
})

test("a trace policy that Cloudflare says for the first time is drift unless it is the default one", () => {
  const [silent, ...policies] = [{}, "authenticated", "accept"].map((policy) =>
    worker([], [], typeof policy === "string" ? { propagationPolicy: policy } : policy),
  )
  expect(policies.map((after) => driftOf(silent, after).map(({ key }) => key))).toEqual([
    [],
    ["observability"],
  ])
})

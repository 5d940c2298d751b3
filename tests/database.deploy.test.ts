import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"

import type { LocalStack } from "../cli/stack/local-stack.ts"
import { up } from "../cli/stack/stack.ts"
import { messageOf } from "../failure.ts"
import { openAccount, stagingShaped } from "./testing/permanent-stack.ts"

const State = z.looseObject({
  resources: z.array(
    z.looseObject({
      type: z.string(),
      protect: z.boolean().default(false),
      inputs: z.record(z.string(), z.unknown()).default({}),
      outputs: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
})

const config = stagingShaped({ "accounts:location": "weur" })
const { "accounts:location": _, ...withoutLocation } = config

/** One journey: each test continues with the stack that the previous one left. */
let account: Awaited<ReturnType<typeof openAccount>>

beforeAll(async () => {
  account = await openAccount()
  await up((await open(config)).stack)
})

afterAll(async () => await account?.[Symbol.asyncDispose]())

function open(values: Record<string, unknown>): Promise<LocalStack> {
  return account.open("staging", values)
}

async function resources({ stack }: LocalStack) {
  return State.parse((await stack.exportStack()).deployment).resources
}

const unchanged = { same: expect.any(Number) }

test.each([
  ["location", "accounts:location", "eeur", "accounts:location was weur and is eeur"],
  ["jurisdiction", "accounts:jurisdiction", "eu", "accounts:jurisdiction was not set and is eu"],
  ["name", "accounts:name", "other", "accounts:name was accounts-staging and is other"],
])(
  "a preview refuses another %s in words, without any protection",
  async (_what, key, value, message) => {
    const base = key === "accounts:jurisdiction" ? withoutLocation : config
    const local = await open({ ...base, [key]: value })
    const refusal = await local.stack.preview().then(() => "no refusal", messageOf)
    expect(refusal).toContain("the database accounts-staging would be replaced by an empty one")
    expect(refusal).toContain(message)
    expect(refusal).toContain("Put the former values back in the stack file")
  },
)

test("the location may be left out afterwards", async () => {
  expect((await up((await open(withoutLocation)).stack)).changes).toEqual(unchanged)
})

test("an imported database, of which no location is known, is kept", async () => {
  const local = await open(config)
  const exported = await local.stack.exportStack()
  const state = State.parse(exported.deployment)
  for (const { type, inputs, outputs } of state.resources) {
    if (!type.endsWith(":D1Database")) continue
    delete inputs["primaryLocationHint"]
    delete outputs["primaryLocationHint"]
  }
  await local.stack.importStack({ ...exported, deployment: state })
  expect((await up(local.stack)).changes).toEqual(unchanged)
})

test("database, Worker and hostname are protected by keys of their own", async () => {
  const local = await open({
    ...config,
    "accounts:protect": true,
    "accounts:protectHostname": false,
  })
  await up(local.stack)
  const kept = (await resources(local)).filter(({ protect }) => protect).map(({ type }) => type)
  expect(kept.toSorted()).toEqual([
    "cloudflare:index/d1Database:D1Database",
    "cloudflare:index/worker:Worker",
  ])
})

import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js"
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb.js"
import { afterAll, beforeAll, expect, test } from "vitest"

import { accountContents } from "./testing/account-contents.ts"
import {
  openStacks,
  stagingShaped,
  type TestStack,
  type TestStacks,
} from "./testing/stacks/test-stacks.ts"

let stacks: TestStacks
let staging: TestStack

beforeAll(async () => {
  stacks = await openStacks()
  staging = await stacks.permanent("staging", stagingShaped())
  await staging.up()
})

afterAll(async () => await stacks?.[Symbol.asyncDispose]())

type Call = (...values: unknown[]) => unknown

/** Each call of a client of Pulumi's, numbered from 1. Pulumi leaves a promise of a lost one to the process, which Vitest takes for a failure. */
function intercept({ prototype }: { prototype: object }, method: string, lose: Call) {
  const original: unknown = Reflect.get(prototype, method)
  if (typeof original !== "function") throw new Error(`There is no ${method}`)
  const name = "unhandledRejection"
  const listeners = process.listeners(name)
  process.removeAllListeners(name).on(name, () => {})
  const calls = { count: 0 }
  Reflect.set(prototype, method, function call(this: unknown, ...values: unknown[]): unknown {
    calls.count += 1
    return lose(calls.count, values.at(-1)) ?? Reflect.apply(original, this, values)
  })
  return Object.assign(calls, {
    [Symbol.dispose]: () => {
      Reflect.set(prototype, method, original)
      process.removeAllListeners(name)
      for (const listener of listeners) process.on(name, listener)
    },
  })
}

/** Simulates an engine that cannot be reached: Pulumi's client reports that after a while. */
function answerLost(answer: unknown, after = 0) {
  const error = Object.assign(new Error("14 UNAVAILABLE: No connection established"), { code: 14 })
  if (typeof answer === "function") setTimeout(() => void answer(error), after)
  return {}
}

// Whether Pulumi itself takes it for a failure depends on who is first.
test.each([0, 5, 20, 50])(
  "a program that cannot reach its engine deletes nothing (told after %i ms)",
  async (after) => {
    const before = await accountContents(staging.cloudflare)
    using _ = intercept(EngineClient, "setRootResource", (_nth, answer) =>
      answerLost(answer, after),
    )
    await expect(staging.up()).rejects.toThrow("staging was not updated")
    expect(await accountContents(staging.cloudflare)).toEqual(before)
  },
)

test("an up whose program loses its engine at any resource ends, and deletes nothing", async () => {
  const before = await accountContents(staging.cloudflare)
  using registrations = intercept(ResourceMonitorClient, "registerResource", () => undefined)
  // Nor did those before lose anything of the state.
  expect((await staging.up()).changes).toEqual({})
  registrations[Symbol.dispose]()
  expect(registrations.count).toBeGreaterThan(10)
  // The first, the first that others wait for, and the last, for which nothing waits.
  for (const lost of [1, 2, registrations.count]) {
    using _ = intercept(ResourceMonitorClient, "registerResource", (nth, answer) =>
      nth === lost ? answerLost(answer) : undefined,
    )
    // oxlint-disable-next-line no-await-in-loop -- one stack
    await expect(staging.up(), `registration ${lost}`).rejects.toThrow("staging was not updated")
  }
  expect(await accountContents(staging.cloudflare)).toEqual(before)
  expect((await staging.up()).changes).toEqual({})
})

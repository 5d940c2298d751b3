import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js"
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

/** As when the engine cannot be reached: Pulumi's client says so after a moment. */
function cutOff(after: number) {
  const { prototype } = EngineClient
  const original: unknown = Reflect.get(prototype, "setRootResource")
  // Pulumi leaves a promise of it to the process, which Vitest takes for a failure.
  const name = "unhandledRejection"
  const listeners = process.listeners(name)
  process.removeAllListeners(name).on(name, () => {})
  Reflect.set(prototype, "setRootResource", (...values: unknown[]) => {
    const error = Object.assign(new Error("14 UNAVAILABLE: No connection established"), {
      code: 14,
    })
    const answer: unknown = values.at(-1)
    if (typeof answer === "function") setTimeout(() => void answer(error), after)
  })
  return {
    [Symbol.dispose]: () => {
      Reflect.set(prototype, "setRootResource", original)
      process.removeAllListeners(name)
      for (const listener of listeners) process.on(name, listener)
    },
  }
}

// Whether Pulumi itself takes it for a failure depends on who is first.
test.each([0, 5, 20, 50])(
  "a program that cannot reach its engine deletes nothing (told after %i ms)",
  async (after) => {
    const before = await accountContents(staging.cloudflare)
    {
      using _ = cutOff(after)
      await expect(staging.up()).rejects.toThrow("staging was not updated")
    }
    expect(await accountContents(staging.cloudflare)).toEqual(before)
    expect((await staging.up()).changes).toEqual({})
  },
)

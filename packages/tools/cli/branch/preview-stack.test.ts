import { afterEach, expect, test, vi } from "vitest"

import { planDown } from "./down.ts"

afterEach(() => {
  vi.unstubAllEnvs()
})

/** What is deleted where `login` alone has a preview. */
function planOf(name: string | undefined) {
  return planDown(name, {
    stacks: async () => [{ name: "preview-login" }],
    held: async () => new Map([["preview-orders", {}]]),
    doubt: async () => undefined,
  })
}

test.each([
  ["preview-login", "by its stack"],
  ["preview-orders", "by the account"],
])("the end of a branch %s leaves the preview of another, known %s", async (branch) => {
  vi.stubEnv("GITHUB_HEAD_REF", branch)
  expect(await planOf(undefined)).toEqual({ stack: `preview-${branch}`, stored: false })
})

test("the end of a branch is that of its preview", async () => {
  vi.stubEnv("GITHUB_HEAD_REF", "login")
  expect(await planOf(undefined)).toEqual({ stack: "preview-login", stored: true })
})

test.each(["login", "preview-login"])("%s names what `branch list` prints", async (name) => {
  expect(await planOf(name)).toEqual({ stack: "preview-login", stored: true })
})

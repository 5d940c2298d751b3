import { expect, test } from "vitest"

import { buildScripts } from "../../bench/app/subject.ts"

test("the benchmark builds every Worker that it measures", async () => {
  const scripts = await buildScripts()
  expect(scripts.map(({ name }) => name)).toEqual([
    "floor-fetch",
    "floor-query",
    "floor-page",
    "floor-scrypt",
    "accounts",
    "peer",
  ])
})

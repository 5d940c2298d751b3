import "./miniflare-package.ts"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

import type * as Miniflare from "miniflare"
import { expect, test } from "vitest"

import { withChanges } from "./miniflare-package.ts"

const require = createRequire(import.meta.url)
const { serializeConfig }: typeof Miniflare = require("miniflare")

/** How many buffers `act` makes. */
function buffersOf(act: () => void): number {
  const original = ArrayBuffer
  let count = 0
  globalThis.ArrayBuffer = new Proxy(original, {
    construct(target, args, newTarget) {
      count += 1
      return Reflect.construct(target, args, newTarget)
    },
  })
  try {
    act()
  } finally {
    globalThis.ArrayBuffer = original
  }
  return count
}

test("a Worker's configuration is written without a copy of it for every part", () => {
  const services = Array.from({ length: 50 }, (_, number) => ({
    name: `worker ${number}`,
    worker: {
      compatibilityDate: "2026-08-01",
      modules: [
        { name: "worker.js", esModule: `// ${"x".repeat(number === 0 ? 3_000_000 : 5_000)}` },
      ],
    },
  }))
  const buffers = buffersOf(() => serializeConfig({ services, sockets: [] }))
  expect(buffers).toBeGreaterThan(0)
  expect(buffers).toBeLessThan(10)
})

test.each(["var MIN_SINGLE_SEGMENT_GROWTH = 4096;", "serializeConfig(config3);"])(
  "a Miniflare without `%s` is not loaded",
  (part) => {
    const source = readFileSync(require.resolve("miniflare"), "utf8")
    expect(withChanges(source)).not.toBe(source)
    expect(() => withChanges(source.replace(part, ""))).toThrow(part)
    expect(() => withChanges(source + part)).toThrow(part)
  },
)

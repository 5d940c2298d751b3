import { createRequire } from "node:module"

import type * as Miniflare from "miniflare"
import { expect, test } from "vitest"

import "./miniflare-package.ts"

const { serializeConfig }: typeof Miniflare = createRequire(import.meta.url)("miniflare")

/** How many buffers `act` makes. */
function buffersOf(act: () => void): number {
  const original = ArrayBuffer
  let made = 0
  globalThis.ArrayBuffer = new Proxy(original, {
    construct(target, args, newTarget) {
      made += 1
      return Reflect.construct(target, args, newTarget)
    },
  })
  try {
    act()
  } finally {
    globalThis.ArrayBuffer = original
  }
  return made
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
  const made = buffersOf(() => serializeConfig({ services, sockets: [] }))
  expect(made).toBeGreaterThan(0)
  expect(made).toBeLessThan(10)
})

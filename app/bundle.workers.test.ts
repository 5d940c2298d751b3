import { expect, inject, test } from "vitest"

const { minified, gzipped, parts } = inject("bundle")

test("the bundle is at most 620 KiB minified and 195 KiB gzipped", () => {
  expect({ minified, gzipped, parts }).toSatisfy(() => minified <= 620 && gzipped <= 195)
})

test("the bundle contains no zod locales, kysely, telemetry, payment SDK or test code", () => {
  const names = parts.map(([name]) => name)
  expect(names).toContain("zod")
  // With its locales, zod is four times as large.
  expect(parts.find(([name]) => name === "zod")?.[1]).toBeLessThan(130)
  const unwanted = new Set([
    "@better-auth/memory-adapter",
    "@better-auth/telemetry",
    "@orpc/zod",
    "kysely",
    "oidc-provider",
    "stripe",
    "vitest",
  ])
  expect(names.filter((name) => unwanted.has(name))).toEqual([])
})

import { describe, expect, inject, it } from "vitest"

const { minified, gzipped, parts } = inject("bundle")

describe("the bundle", () => {
  it("is at most 620 KiB minified and 195 KiB gzipped", () => {
    expect({ minified, gzipped, parts }).toSatisfy(() => minified <= 620 && gzipped <= 195)
  })

  it("has neither zod's locales nor kysely, telemetry, an SDK of payments, or what tests use", () => {
    const names = parts.map(([name]) => name)
    expect(names).toContain("zod")
    // With its locales it is four times as large.
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
})

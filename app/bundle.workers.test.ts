import { describe, expect, inject, it } from "vitest"

const { minified, gzipped, parts } = inject("bundle")

describe("the bundle", () => {
  it("is at most 720 KiB minified and 210 KiB gzipped", () => {
    expect({ minified, gzipped, parts }).toSatisfy(() => minified <= 720 && gzipped <= 210)
  })

  it("has neither zod's locales nor kysely, an SDK of payments, or what tests use", () => {
    const names = parts.map(([name]) => name)
    expect(names).toContain("zod")
    // With its locales it is four times as large.
    expect(parts.find(([name]) => name === "zod")?.[1]).toBeLessThan(130)
    const unwanted = new Set(["kysely", "stripe", "vitest", "oidc-provider", "@orpc/zod"])
    expect(names.filter((name) => unwanted.has(name))).toEqual([])
  })
})

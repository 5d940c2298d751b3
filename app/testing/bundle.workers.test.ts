import { signInEmail, signInSocial, signUpEmail } from "better-auth/api"
import { expect, inject, test } from "vitest"

const { minified, gzipped, late, parts } = inject("bundle")

test("an isolate starts with at most 710 KiB minified and 228 KiB gzipped", () => {
  expect({ minified, gzipped, parts }).toSatisfy(() => minified <= 710 && gzipped <= 228)
})

test("what is heavy is no part of what an isolate starts with", () => {
  expect(late.minified).toBeGreaterThan(300)
})

test("the bundle contains no zod locales, kysely, payment SDK or test code", () => {
  const names = parts.map(([name]) => name)
  expect(names).toContain("zod")
  // With its locales, zod is four times as large.
  expect(parts.find(([name]) => name === "zod")?.[1]).toBeLessThan(130)
  const unwanted = new Set(["@orpc/zod", "kysely", "oidc-provider", "stripe", "vitest"])
  expect(names.filter((name) => unwanted.has(name))).toEqual([])
})

test("these tests run without what the bundle leaves out", () => {
  const replaced: (() => unknown)[] = [signInEmail, signInSocial, signUpEmail]
  expect(replaced.map((endpoint) => endpoint())).toEqual([{}, {}, {}])
})

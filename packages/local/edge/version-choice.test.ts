import { expect, test } from "vitest"

import { chooseVersion } from "./edge.ts"

function split(a: number, b: number) {
  return [
    { versionId: "a", percentage: a },
    { versionId: "b", percentage: b },
  ]
}

function count(
  versions: ReturnType<typeof split>,
  headersOf: (n: number) => Record<string, string>,
) {
  const counts: Record<string, number> = { a: 0, b: 0 }
  for (let n = 0; n < 10_000; n += 1) {
    const headers = headersOf(n)
    const chosen = chooseVersion({ script: "api", versions, headers, random: () => n / 10_000 })
    if (chosen !== undefined) counts[chosen] = (counts[chosen] ?? 0) + 1
  }
  return counts
}

test("the random choice follows the percentages", () => {
  expect(count(split(50, 50), () => ({}))).toEqual({ a: 5000, b: 5000 })
  expect(count(split(100, 0), () => ({}))).toEqual({ a: 10_000, b: 0 })
  expect(count(split(0, 100), () => ({}))).toEqual({ a: 0, b: 10_000 })
  expect(count(split(99.99, 0.01), () => ({}))).toEqual({ a: 9999, b: 1 })
})

test("version keys spread evenly, keep their version and move only to a growing share", () => {
  const key = (n: number) => ({ "cloudflare-workers-version-key": `user-${n}` })
  const { b = 0 } = count(split(80, 20), key)
  expect(b).toBeGreaterThan(1800)
  expect(b).toBeLessThan(2200)

  const at = (percentage: number, n: number, reversed = false) => {
    const versions = split(100 - percentage, percentage)
    return chooseVersion({
      script: "api",
      versions: reversed ? versions.toReversed() : versions,
      headers: key(n),
    })
  }
  for (let n = 0; n < 500; n += 1) {
    const steps = [5, 25, 50, 75, 100].map((step) => at(step, n))
    expect(steps.join("")).toMatch(/^a*b+$/)
    expect(at(25, n, true)).toBe(at(25, n))
  }
})

test.for([
  ['api="b"', "b"],
  ['other="x", api="b"', "b"],
  ['api="b";q=1', "b"],
  ['api="b", api="a"', "a"],
  ['api="elsewhere"', "a"],
  ['other="b"', "a"],
  ["api=b", "a"],
  ['api="b', "a"],
  ["", "a"],
] as const)("the override %s selects %s", ([header, expected]) => {
  const headers = { "cloudflare-workers-version-overrides": header }
  expect(chooseVersion({ script: "api", versions: split(100, 0), headers })).toBe(expected)
})

test("no version is chosen when none has a share", () => {
  expect(chooseVersion({ script: "api", versions: [], headers: {} })).toBeUndefined()
  expect(chooseVersion({ script: "api", versions: split(0, 0), headers: {} })).toBeUndefined()
})

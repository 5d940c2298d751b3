import { expect, test } from "vitest"

import { createSeededRandom } from "../../testing/seeded-random.ts"
import { placeOf } from "./place.ts"

const hosts = [
  "https://api.example",
  "https://api.example/api/",
  "http://[::1]:8787",
  "HTTP://A.example",
  "http:",
  "https://",
]
const parts =
  'api get-session _ -1 / // .. /./ %2e %2F % %zz ? # \\ : @ ; | { < " ~ & + a=1 é ſ'.split(" ")
const odd = ["\t", "\n", "\r", " ", "\u0000", "\uD800", "\u202E"]

function partsOf(read: () => Pick<URL, "pathname" | "searchParams">) {
  try {
    const { pathname, searchParams } = read()
    return { pathname, searchParams: [...searchParams] }
  } catch {
    return undefined
  }
}

test("a path is read as URL reads it, whatever stands in it", () => {
  const { next, pick } = createSeededRandom(1)
  const different: string[] = []
  let plain = 0
  for (let run = 0; run < 100_000; run += 1) {
    const rest = Array.from({ length: Math.floor(next() * 6) }, () => pick([...parts, ...odd]))
    const url = [pick(hosts), ...rest].join("")
    const expected = partsOf(() => new URL(url))
    // A server has read the host before anybody reads the path.
    if (expected === undefined) continue
    if (!(placeOf(url) instanceof URL)) plain += 1
    const found = partsOf(() => placeOf(url))
    if (JSON.stringify(found) !== JSON.stringify(expected)) different.push(url)
  }
  expect(different).toEqual([])
  expect(plain).toBeGreaterThan(1000)
})

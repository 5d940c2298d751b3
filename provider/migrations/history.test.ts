import { expect, test } from "vitest"

import { findPending } from "./history.ts"

function file(name: string, sha256 = `${name} as it is`) {
  return { name, sha256 }
}
const a = file("0000_a.sql")
const b = file("0001_b.sql")
const c = file("0002_c.sql")

test("what is not applied is pending", () => {
  expect(findPending([a, b, c], [a])).toEqual({ pending: [b, c], unrecorded: [] })
  expect(findPending([a], [])).toEqual({ pending: [a], unrecorded: [] })
  expect(findPending([a], [a])).toEqual({ pending: [], unrecorded: [] })
})

test("what another tool applied is taken over without a checksum", () => {
  expect(findPending([a, b], [{ name: a.name }])).toEqual({ pending: [b], unrecorded: [a] })
})

test("an edited file is refused by name, with the way out", () => {
  const edited = file(a.name, "as it was")
  expect(() => findPending([a, b], [edited])).toThrow(
    /^0000_a\.sql was edited after it had been applied .*Restore the file and put the change into/,
  )
})

test("an applied file that is gone, or was never here, is refused", () => {
  expect(() => findPending([a], [a, b])).toThrow(/^0001_b\.sql is recorded as applied but is not/)
  expect(() => findPending([a, b], [file("0000_other.sql")])).toThrow(
    /^0000_other\.sql is recorded/,
  )
})

test("a new file in front of applied ones is refused", () => {
  expect(() => findPending([a, b, c], [a, c])).toThrow(
    /^0001_b\.sql would run after 0002_c\.sql, which is already applied/,
  )
})

test("applied files in another order are refused", () => {
  expect(() => findPending([a, b], [b, a])).toThrow(/^0001_b\.sql was applied before 0000_a\.sql/)
})

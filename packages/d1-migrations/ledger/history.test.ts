import { expect, test } from "vitest"

import { findPending } from "./migration-status.ts"

function file(name: string, sha256 = `${name} as it is`) {
  return { name, sha256 }
}
const a = file("0000_a.sql")
const b = file("0001_b.sql")
const c = file("0002_c.sql")

test("files that are not applied are pending", () => {
  expect(findPending([a, b, c], [a])).toEqual({ pending: [b, c], unrecorded: [] })
  expect(findPending([a], [])).toEqual({ pending: [a], unrecorded: [] })
  expect(findPending([a], [a])).toEqual({ pending: [], unrecorded: [] })
})

test("files that another tool applied are accepted without a checksum", () => {
  expect(findPending([a, b], [{ name: a.name }])).toEqual({ pending: [b], unrecorded: [a] })
})

test("an edited file is rejected with its name and the remedy", () => {
  const edited = file(a.name, "as it was")
  expect(() => findPending([a, b], [edited])).toThrow(
    /^0000_a\.sql was edited after it had been applied: restore the file and put the change into/,
  )
})

test("an applied file that is missing is rejected", () => {
  expect(() => findPending([a], [a, b])).toThrow(/^0001_b\.sql is recorded as applied but is not/)
  expect(() => findPending([a, b], [file("0000_other.sql")])).toThrow(
    /^0000_other\.sql is recorded/,
  )
})

test("a new file before applied files is rejected", () => {
  expect(() => findPending([a, b, c], [a, c])).toThrow(
    /^0001_b\.sql is not applied, although a file after it is/,
  )
})

test("applied files in another order are rejected", () => {
  expect(() => findPending([a, b], [b, a])).toThrow(/^0001_b\.sql was applied before 0000_a\.sql/)
})

test("all problems are reported together", () => {
  expect(() => findPending([a], [file(a.name, "as it was"), b])).toThrow(
    /^0000_a\.sql was edited .*\n0001_b\.sql is recorded as applied but is not/,
  )
})

import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { type Place, places, simulate } from "../bench/distance/simulation.ts"
import { distanceTable, requests } from "../bench/distance/table.ts"

/** Without the spaces that the formatter pads columns with. */
function compact(text: string) {
  return text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---")
}

test("docs/benchmarks.md shows the waits that the simulation plays", () => {
  const page = compact(readFileSync(join(root, "docs/benchmarks.md"), "utf8"))
  for (const line of distanceTable().split("\n")) expect(page).toContain(compact(line))
})

test("the simulated requests take the round trips that the tests of the service count", () => {
  const counted = readFileSync(join(root, "app/statements.workers.test.ts"), "utf8")
  for (const { name, trips } of requests) {
    const [operation = ""] = name.split(",")
    const [, count] = new RegExp(`^ {2}"?${operation}"?: (\\d),$`, "m").exec(counted) ?? []
    expect({ operation, count: Number(count) }).toEqual({ operation, count: trips.length })
  }
})

test("a copy answers first reads from nearby, and what was just written from the primary", () => {
  const medianOf = (name: string, place: Place) => {
    const waits = simulate({ requests, distance: 100, place, visits: 500, seed: 1 }).get(name) ?? []
    return waits.toSorted((one, other) => one - other)[250] ?? 0
  }
  const [near, smart, replicated] = places
  for (const place of [near, smart]) {
    expect(medianOf("listEntries, the first", place)).toBeGreaterThan(100)
  }
  expect(medianOf("listEntries, the first", replicated)).toBeLessThan(10)
  for (const name of ["sign-in", "createEntry", "getProfile"]) {
    expect(medianOf(name, replicated)).toBeGreaterThan(100)
  }
})

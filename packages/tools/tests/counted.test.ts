import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { counted } from "../base/counted.ts"
import { root } from "../base/root.ts"

/** Numbers that are never one. */
const neverOne = [
  "s ${stack} accounts",
  "all ${length} files",
  "${rows * growthFactor} rows in each table",
  "more than ${exactRows} rows",
  "${comparedRows} rows at most",
  "toFixed(1)} days",
  "${share} rows",
  "at most ${most} rows",
  "${keep} rows",
  "${columns.length} columns",
]

test("a number of things that commands count is followed by their singular or plural", () => {
  expect([0, 1, 2].map((count) => counted(count, "row"))).toEqual(["0 rows", "1 row", "2 rows"])
  const sources = globSync("packages/{tools,d1-migrations}/**/*.ts", {
    cwd: root,
    exclude: (path) => /node_modules|dist|testing|\.test\.ts$/.test(path),
  }).map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
  const nouns = sources.flatMap(({ text }) =>
    Array.from(text.matchAll(/counted\([^"]*"(\w+)"\)/g), ([, noun]) => noun),
  )
  expect(new Set(nouns).size).toBeGreaterThan(8)
  const byHand = new RegExp(`(?:\\w+ )*\\$\\{[^{}]+\\} (?:${nouns.join("|")})s\\b(?: \\w+)*`, "g")
  const handWritten = sources.flatMap(({ path, text }) =>
    (text.match(byHand) ?? [])
      .filter((phrase) => !neverOne.some((exception) => phrase.includes(exception)))
      .map((phrase) => `${path}: ${phrase}`),
  )
  expect(handWritten).toEqual([])
})

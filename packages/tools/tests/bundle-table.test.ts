import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { weighBundle } from "../../../app/testing/bundle.ts"

const page = readFileSync(join(import.meta.dirname, "../../../docs/bundle.md"), "utf8")

test("docs/bundle.md states the current size of the module and of its parts", async () => {
  const { minified, gzipped, parts } = await weighBundle()
  const [, statedMinified, statedGzipped] =
    /\*\*([\d.]+) KiB\*\* min\w+, \*\*([\d.]+) KiB/.exec(page) ?? []
  expect(
    Math.abs(Number(statedMinified) - minified),
    "npm run bench -- bundle --write",
  ).toBeLessThan(10)
  expect(Math.abs(Number(statedGzipped) - gzipped), "npm run bench -- bundle --write").toBeLessThan(
    4,
  )
  const large = parts.filter(([, kib]) => kib > 10)
  const rows = [...page.matchAll(/^\| (\S.*?) +\| +([\d.]+) +\| +\d+ % +\|$/gm)]
  const stated = new Map(rows.map(([, name, kib]) => [name, Number(kib)]))
  for (const [name, kib] of large) {
    const as = name === "app" ? "this service's own code" : name
    expect(
      Math.abs((stated.get(as) ?? 0) - kib),
      `${as}: npm run bench -- bundle --write`,
    ).toBeLessThan(5)
  }
})

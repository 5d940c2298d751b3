import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

import { root } from "../base/root.ts"

const page = readFileSync(join(root, "docs/changing.md"), "utf8")
const code = [...page.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text)

test("every path in docs/changing.md exists", () => {
  const paths = code.filter((text) => /^[\w<>./-]+$/.test(text) && /\/|\.\w+$/.test(text))
  expect(paths.length).toBeGreaterThan(50)
  for (const path of paths) {
    // A placeholder such as <noun> stands for any name: at least one file must fit.
    const pattern = path.replaceAll(/<\w+>/g, "*")
    expect([path, globSync(pattern, { cwd: root }).length > 0]).toEqual([path, true])
  }
})

test("every script in docs/changing.md exists", () => {
  const Manifest = z.object({ scripts: z.record(z.string(), z.string()) })
  const { scripts } = Manifest.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")))
  const named = code.flatMap((text) => /^npm (?:run )?(\w+)$/.exec(text)?.[1] ?? [])
  expect(named).toContain("migration")
  for (const name of named) expect(Object.keys(scripts)).toContain(name)
})

test("no recipe in docs/changing.md exceeds ten lines", () => {
  const [, ...recipes] = page.split(/^## /m)
  expect(recipes.length).toBeGreaterThan(8)
  for (const recipe of recipes) {
    const [title, ...lines] = recipe.split("\n").filter((line) => line.trim() !== "")
    expect([title, lines.length <= 10]).toEqual([title, true])
  }
})

import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { project } from "../../../infra/project.ts"
import { root } from "../base/root.ts"
import { bindingsPage } from "./pages.ts"

test("docs/bindings.md matches the code (npm run fix writes it)", () => {
  expect(readFileSync(join(root, "docs", "bindings.md"), "utf8")).toBe(bindingsPage())
})

test("every binding has a row that says what sets it and what it is for", () => {
  for (const [name, { summary }] of Object.entries(project.bindings)) {
    const row = bindingsPage()
      .split("\n")
      .find((line) => line.startsWith(`| \`${name}\``))
    const cells = row?.split("|").map((cell) => cell.trim()) ?? []
    expect([name, cells[2]]).not.toContain("")
    expect(summary).not.toBe("")
    expect(cells.at(-2)).toBe(summary)
  }
})

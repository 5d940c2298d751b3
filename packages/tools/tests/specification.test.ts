import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"

const specification = readFileSync(join(root, "docs/specification.md"), "utf8")

/** Below the name of a file, the titles of its tests, in some after what the specification asks for. */
const rows = [...specification.matchAll(/^`([\w/-]+)`\n\n((?:- .*\n)+)/gm)].flatMap(
  ([, file = "", titles = ""]) =>
    [...titles.matchAll(/^- (?:_.*_: )?(.*)$/gm)].map(([, title = ""]) => ({ file, title })),
)

test("docs/specification.md names tests", () => {
  expect(rows.length).toBeGreaterThan(100)
})

test.each(rows)("docs/specification.md: $file has the test $title", ({ file, title }) => {
  const paths = ["", ".long"].map((long) => join(root, "app", `${file}${long}.workers.test.ts`))
  const path = paths.find((each) => existsSync(each))
  const text = path === undefined ? "" : readFileSync(path, "utf8")
  expect(text.includes(`"${title}"`)).toBe(true)
})

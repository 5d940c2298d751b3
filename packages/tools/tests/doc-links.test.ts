import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"

const pages = globSync(["*.md", "*/*.md", "docs/**/*.md"], { cwd: root })

function textOf(page: string): string {
  return readFileSync(join(root, page), "utf8")
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  )
}

test("every link of a page leads to a file and a heading that exist", () => {
  const links = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].map(
      ([, path = "", anchor]) => ({
        page,
        target: path === "" ? page : join(dirname(page), path),
        anchor,
      }),
    ),
  )
  expect(links.length).toBeGreaterThan(50)
  const broken = links.filter(
    ({ target, anchor }) =>
      !existsSync(join(root, target)) ||
      (anchor !== undefined && !anchorsOf(target).includes(anchor)),
  )
  expect(broken).toEqual([])
})

test("every page of docs/ can be reached from the README", () => {
  const named = pages.filter((page) => /^docs\/[\w-]+\.md$/.test(page))
  expect(named.filter((page) => !textOf("README.md").includes(`(${page})`))).toEqual([])
})

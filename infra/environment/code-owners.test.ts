import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../../base/root.ts"
import { checkOwners } from "./code-owners.ts"

const files = [
  "cli/main.js",
  "cli/review/review.ts",
  "docs/style.md",
  "environments/preview.yaml",
  "infra/index.ts",
  "package.json",
]

/** A repository with these files and no content. */
function createRepository(owners: string) {
  const path = mkdtempSync(join(tmpdir(), "accounts-owners-"))
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), text)
  }
  for (const file of files) write(file, "")
  write(".github/CODEOWNERS", owners)
  execFileSync("git", ["init", "--quiet", path])
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test("owners of code that nobody has put in are refused once people use an environment", () => {
  using placeholder = createRepository("# @example/none\n* @acme/ops\n/app/ @example/ops\n")
  const [production, draft] = [true, false].map((used) => [{ stack: "production", draft: !used }])
  const found = { rule: "R10", file: ".github/CODEOWNERS", line: 3, key: "/app/" }
  expect(checkOwners(placeholder.path, production ?? [])).toMatchObject({
    refused: [found],
    open: [],
  })
  expect(checkOwners(placeholder.path, draft ?? [])).toMatchObject({ refused: [], open: [found] })
  using own = createRepository("* @acme/ops\n/app/ @acme/ops\n")
  expect(checkOwners(own.path, production ?? [])).toEqual({ refused: [], open: [] })
})

test.each([
  { title: "a folder", owners: "* @acme/ops\n/cli/\n", unowned: ["/cli/"] },
  { title: "a part of a folder", owners: "* @acme/ops\ncli/review\n", unowned: ["/cli/"] },
  {
    title: "a kind of file",
    owners: "* @acme/ops\n*.ts # @acme/ops\n",
    unowned: ["/cli/", "/infra/"],
  },
  {
    title: "what no line names",
    owners: "/infra/** @a\n/environments/* @a\n/.github/ @a\n**/review/ @a\n/cli/*.j? @a\n",
    unowned: ["/package.json"],
  },
  { title: "nothing that runs with a key", owners: "* @acme/ops\n/docs/\n*.md\n", unowned: [] },
])("what runs with keys and has no owner is refused: $title", ({ owners, unowned }) => {
  using repository = createRepository(owners)
  const { refused } = checkOwners(repository.path, [])
  const found = unowned.map((key) => expect.objectContaining({ rule: "R59", key }))
  expect(refused).toEqual(found)
})

test("the project's own file leaves nothing out, whatever is added", () => {
  using repository = createRepository("")
  cpSync(join(root, ".github/CODEOWNERS"), join(repository.path, ".github/CODEOWNERS"))
  expect(checkOwners(repository.path, []).refused).toEqual([])
  expect(checkOwners(root, []).refused).toEqual([])
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { checkOwners } from "./check.ts"

function createRepository(owners: string, otherFiles: Record<string, string> = {}) {
  const path = mkdtempSync(join(tmpdir(), "accounts-owners-"))
  for (const [file, text] of Object.entries({ CODEOWNERS: owners, ...otherFiles })) {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), text)
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test("placeholder owners of code are refused once an environment is in use", () => {
  using placeholder = createRepository("# @example/none\n* @acme/ops\n/app/ @example/ops\n")
  const [production, draft] = [true, false].map((used) => [{ stack: "production", draft: !used }])
  const finding = { rule: "R10", file: "CODEOWNERS", line: 3, key: "/app/" }
  expect(checkOwners(placeholder.path, production ?? [])).toMatchObject({
    refused: [finding],
    open: [],
  })
  expect(checkOwners(placeholder.path, draft ?? [])).toMatchObject({ refused: [], open: [finding] })
  using repository = createRepository("* @acme/ops\n/app/ @acme/ops\n")
  expect(checkOwners(repository.path, production ?? [])).toEqual({ refused: [], open: [] })
})

test.each([
  { title: "a folder", owners: "* @acme/ops\n/cli/\n", unowned: ["/cli/"] },
  {
    title: "a part of a folder",
    owners: "* @acme/ops\npackages/tools/cli/review # nobody\n",
    unowned: ["packages/tools/cli/review"],
  },
  { title: "a kind of file", owners: "* @acme/ops\n*.ts\n", unowned: ["*.ts"] },
  { title: "a folder of any place", owners: "* @acme/ops\ndocs/\n", unowned: ["docs/"] },
  { title: "all", owners: "*\n/cli/ @acme/ops\n", unowned: ["*", "*"] },
  { title: "what no line names", owners: "/infra/ @acme/ops\n/cli/ @acme/ops\n", unowned: ["*"] },
  { title: "what the Worker serves", owners: "* @acme/ops\n/docs/\n", unowned: ["/docs/"] },
  {
    title: "nothing that runs with a key",
    owners: "* @acme/ops\n/docs/*.md\n/*.md\n",
    unowned: [],
  },
])("what runs with keys and has no owner is refused: $title", ({ owners, unowned }) => {
  using repository = createRepository(owners)
  const { refused } = checkOwners(repository.path, [])
  expect(refused).toEqual(unowned.map((key) => expect.objectContaining({ rule: "R59", key })))
})

test.each([
  [".github/CODEOWNERS", [".github/CODEOWNERS"]],
  ["docs/CODEOWNERS", ["CODEOWNERS"]],
])("the file that GitHub reads is judged: beside %s", (otherPath, judged) => {
  using repository = createRepository("* @acme/ops\n/cli/\n", {
    [otherPath]: "* @acme/ops\n/cli/\n",
  })
  const files = checkOwners(repository.path, []).refused.map(({ file }) => file)
  expect(files).toEqual(judged)
})

test("the project's own file leaves nothing out", () => {
  expect(checkOwners(root, []).refused).toEqual([])
})

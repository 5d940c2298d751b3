import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { git } from "./testing/commit.ts"

const script = join(root, ".ci", "workflows.js")

function lint(cwd: string, environment: Record<string, string> = {}) {
  const env = { ...process.env, ...environment }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    cwd,
    env,
    encoding: "utf8",
  })
  return { status, output: stdout + stderr }
}

test("a machine with Node alone skips the linters of workflows, and says why", async () => {
  await using cache = await temporaryDirectory()
  const environment = { PATH: dirname(process.execPath), XDG_CACHE_HOME: cache.path }
  const { status, output } = lint(root, environment)
  expect(status).toBe(0)
  expect(output).toMatch(/^↷ actionlint: skipped: .*ENOENT$/m)
  expect(output).toMatch(/^↷ zizmor: skipped: .*ENOENT$/m)
})

const { output: repositoryOutput } = lint(root)
const skipped = /^↷ .*$/m.exec(repositoryOutput)?.[0]
const note = skipped === undefined ? "" : ` (${skipped})`

test.skipIf(skipped !== undefined)(
  `[workflow linters] what either of them finds fails the check${note}`,
  async () => {
    const workflow = (step: string, permissions = "contents: read") => `name: x
on: push
permissions:
  ${permissions}
jobs:
  x:
    runs-on: ubuntu-24.04
    steps:
      - ${step}
`
    const cases = [
      { text: workflow("run: true"), says: /No findings/, status: 0 },
      {
        text: workflow("run: true", "content: read"),
        says: /unknown permission scope "content"/,
        status: 1,
      },
      { text: workflow("uses: actions/checkout@main"), says: /unpinned-uses/, status: 1 },
    ]
    for (const { text, says, status } of cases) {
      await using directory = await temporaryDirectory()
      git(directory.path, "init", "--quiet")
      const folder = join(directory.path, ".github", "workflows")
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, "x.yml"), text)
      expect(lint(directory.path)).toEqual({ status, output: expect.stringMatching(says) })
    }
  },
)

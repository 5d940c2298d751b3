import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { afterEach, expect, test, vi } from "vitest"

import { copyCheckout } from "../../tests/testing/checkout.ts"
import { importFrom } from "../../tests/testing/import-from.ts"

afterEach(() => void vi.unstubAllEnvs())

test("a permanent environment is told of uncommitted changes, and production of another branch", async () => {
  for (const name of ["GITHUB_HEAD_REF", "GITHUB_REF_NAME"]) vi.stubEnv(name, "")
  await using checkout = copyCheckout()
  const { directory } = checkout
  const { workingTreeWarnings } = await importFrom(checkout, "deploy/build/working-tree.ts")
  const allWarnings = () =>
    ["local", "preview", "staging", "production"].map((environment) =>
      workingTreeWarnings({ environment }),
    )
  expect(allWarnings()).toEqual([[], [], [], []])

  const onBranch = "production gets the branch feature, not main."
  execFileSync("git", ["checkout", "--quiet", "-b", "feature"], { cwd: directory })
  expect(allWarnings()).toEqual([[], [], [], [onBranch]])

  writeFileSync(join(directory, "new.txt"), "new")
  checkout.edit("app/worker.ts", (text) => `${text}\n`)
  const edited = (name: string) =>
    `${name} gets changes that are not committed: app/worker.ts, new.txt.`
  expect(allWarnings()).toEqual([[], [], [edited("staging")], [edited("production"), onBranch]])

  // A job checks out a commit, not a branch.
  execFileSync("git", ["checkout", "--quiet", "--detach"], { cwd: directory })
  vi.stubEnv("GITHUB_REF_TYPE", "branch")
  vi.stubEnv("GITHUB_REF_NAME", "main")
  expect(allWarnings()).toEqual([[], [], [edited("staging")], [edited("production")]])
})

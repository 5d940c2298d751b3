import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { copyCheckout } from "./testing/checkout.ts"
import { readWorkflow, runJob } from "./testing/workflow.ts"

const { review, comment } = readWorkflow("review").jobs

/** Programs that take the place of those of a runner. */
function createPrograms(programs: Record<string, string>) {
  const directory = mkdtempSync(join(tmpdir(), "accounts-programs-"))
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}

test("the job that reviews needs a clone, Node and nothing else", async () => {
  if (!review) throw new Error("review.yml has no job review")
  await using clone = copyCheckout()
  // As a checkout with the whole history has it.
  execFileSync("git", ["update-ref", "refs/remotes/origin/main", "main"], { cwd: clone.directory })
  // The clone has its modules already.
  using programs = createPrograms({ npm: `[ "$*" = ci ]` })
  const { summary } = await runJob({
    job: review,
    clone: clone.directory,
    contexts: {},
    environment: { PATH: process.env["PATH"] ?? "", GITHUB_BASE_REF: "main" },
    path: [programs.directory],
  })
  expect(summary).toMatch(/^<!-- accounts review -->\n[^]*\| hosts /)
})

test.each([
  {
    found: "",
    calls:
      /^api --silent --method POST -f body=A `text` \$\(exit 1\) repos\/a\/b\/issues\/7\/comments$/m,
  },
  {
    found: "41",
    calls:
      /^api --silent --method PATCH -f body=A `text` \$\(exit 1\) repos\/a\/b\/issues\/comments\/41$/m,
  },
])("a pull request has one comment, and what it says is text (found: '$found')", async (row) => {
  if (!comment) throw new Error("review.yml has no job comment")
  await using clone = copyCheckout()
  const log = join(clone.directory, "calls")
  const fake = `echo "$@" >> ${log}; case "$*" in *--paginate*) echo "${row.found}" ;; esac`
  using programs = createPrograms({ gh: fake })
  const [step] = comment.steps
  if (!step) throw new Error("The job comment has no step")
  await runJob({
    job: { ...comment, steps: [{ ...step, if: undefined }] },
    clone: clone.directory,
    contexts: {
      "needs.review.outputs.text": "A `text` $(exit 1)",
      "github.event.pull_request.number": "7",
    },
    environment: { PATH: process.env["PATH"] ?? "", GITHUB_REPOSITORY: "a/b" },
    path: [programs.directory],
  })
  expect(readFileSync(log, "utf8")).toMatch(row.calls)
})

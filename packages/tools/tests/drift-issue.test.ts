import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { type Finding, statusInMarkdown } from "../cli/status/plan-findings.ts"
import { openIssues } from "./testing/kept-issues.ts"
import { readWorkflow, runJob } from "./testing/workflow.ts"

async function directoryOfJob() {
  const directory = await temporaryDirectory()
  mkdirSync(join(directory.path, ".ci"))
  cpSync(join(root, ".ci", "keep-issue.sh"), join(directory.path, ".ci", "keep-issue.sh"))
  return directory
}

test.each(["staging", "production"])(
  "one issue is kept for %s, which is written anew and closed when all is well",
  async (stack) => {
    await using issues = await openIssues()
    await using directory = await directoryOfJob()
    const job = readWorkflow("drift").jobs[stack]
    if (job === undefined) throw new Error(`drift.yml has no job ${stack}`)
    const steps = job.steps.filter(({ id }) => id === "issue")
    const run = async (status: string) => {
      writeFileSync(join(directory.path, "status.md"), status)
      await runJob({
        job: { ...job, steps },
        clone: directory.path,
        contexts: { "steps.set-up.outputs.ready": "yes", "github.token": "token" },
        environment: { PATH: process.env["PATH"] ?? "" },
        path: [issues.directory],
      })
    }
    await run(statusInMarkdown(stack, []))
    const gone: Finding = { what: "drift: Worker accounts", state: "wrong", found: "gone & = +" }
    for (const findings of [[gone], [gone, { ...gone, what: "token" }], [], [], [gone]]) {
      // oxlint-disable-next-line no-await-in-loop -- one morning after another
      await run(statusInMarkdown(stack, findings))
    }
    expect(issues.body()).toBe(statusInMarkdown(stack, [gone]))
    expect(issues.events()).toEqual(["issue create", "issue edit", "issue close", "issue create"])
    await run(
      statusInMarkdown(
        stack,
        Array.from({ length: 50 }, () => ({ ...gone, found: "😀".repeat(500) })),
      ),
    )
    expect(issues.body()).toContain(" says all.")
    expect(issues.body().length).toBeLessThan(65_536)
  },
)

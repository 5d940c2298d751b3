import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import type { Finding } from "../cli/status/finding.ts"
import { statusInMarkdown } from "../cli/status/status-text.ts"
import { openIssues } from "./testing/kept-issues.ts"
import { readGitLabJob } from "./testing/pipelines.ts"
import { readWorkflow, runJob } from "./testing/workflow.ts"

async function directoryOfJob() {
  const directory = await temporaryDirectory()
  mkdirSync(join(directory.path, ".ci"))
  cpSync(join(root, ".ci", "keep-issue.sh"), join(directory.path, ".ci", "keep-issue.sh"))
  return directory
}

test.each([
  ["GitHub", "staging"],
  ["GitHub", "production"],
  ["GitLab", "staging"],
  ["GitLab", "production"],
] as const)(
  "%s keeps one issue for %s, which is written anew and closed when all is well",
  async (kind, stack) => {
    await using issues = await openIssues(kind)
    await using directory = await directoryOfJob()
    const job =
      kind === "GitHub"
        ? readWorkflow("drift").jobs[stack]
        : readGitLabJob("issues", issues.environment)
    if (job === undefined) throw new Error(`drift.yml has no job ${stack}`)
    const steps = job.steps.filter(({ id }) => kind === "GitLab" || id === "issue")
    const file = kind === "GitHub" ? "status.md" : `status.${stack}.md`
    const run = async (status: string) => {
      writeFileSync(join(directory.path, file), status)
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

test("an issue that GitLab refuses fails its job, and keeps no other from being written", async () => {
  await using issues = await openIssues("GitLab")
  await using directory = await directoryOfJob()
  writeFileSync(join(directory.path, "status.staging.md"), Buffer.from([0xff]))
  writeFileSync(join(directory.path, "status.production.md"), "production")
  const done = runJob({
    job: readGitLabJob("issues", issues.environment),
    clone: directory.path,
    contexts: {},
    environment: { PATH: process.env["PATH"] ?? "" },
    path: [],
  })
  await expect(done).rejects.toThrow("returned error: 400")
  expect(issues.body()).toBe("production")
})

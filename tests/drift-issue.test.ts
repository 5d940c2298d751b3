import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { temporaryDirectory } from "@accounts/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

import type { Finding } from "../cli/status/finding.ts"
import { statusInMarkdown } from "../cli/status/status-text.ts"
import { createPrograms } from "./testing/programs.ts"
import { readWorkflow, runJob } from "./testing/workflow.ts"

test.each(["staging", "production"])(
  "%s keeps one issue, which is written anew and closed when all is well",
  async (stack) => {
    const job = readWorkflow("drift").jobs[stack]
    if (job === undefined) throw new Error(`drift.yml has no job ${stack}`)
    const keeping = { ...job, steps: job.steps.filter(({ id }) => id === "issue") }
    await using directory = await temporaryDirectory()
    const said = join(directory.path, "said")
    // GitHub, as far as it keeps the number of an open issue.
    using programs = createPrograms({
      gh: `echo "$1 $2" >> ${said}
cd ${directory.path}
case "$1 $2" in
"issue list") cat open 2>/dev/null || true ;;
"issue create") echo 7 > open ;;
"issue close") [ "$3" = 7 ] && rm open ;;
"issue edit") [ "$3" = 7 ] ;;
esac`,
    })
    const run = async (status: string) => {
      writeFileSync(join(directory.path, "status.md"), status)
      await runJob({
        job: keeping,
        clone: directory.path,
        contexts: { "steps.set-up.outputs.ready": "yes", "github.token": "token" },
        environment: { PATH: process.env["PATH"] ?? "" },
        path: [programs.directory],
      })
    }
    await run(statusInMarkdown(stack, []))
    const gone: Finding = { what: "drift: Worker accounts", state: "wrong", found: "gone" }
    for (const findings of [[gone], [gone, { ...gone, what: "token" }], [], [], [gone]]) {
      // oxlint-disable-next-line no-await-in-loop -- one morning after another
      await run(statusInMarkdown(stack, findings))
    }
    const lines = readFileSync(said, "utf8").trim().split("\n")
    expect(lines.filter((line) => !/^(?:label create|issue list)$/.test(line))).toEqual([
      "issue create",
      "issue edit",
      "issue close",
      "issue create",
    ])
  },
)

import { cpSync } from "node:fs"
import { join } from "node:path"

import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

import { root } from "../base/root.ts"
import { readWorkflow, runJob } from "./testing/workflow.ts"

test.each([
  { workflow: "staging", job: "staging", secrets: "" },
  { workflow: "preview", job: "preview", secrets: "PREVIEW_" },
  { workflow: "sweep", job: "sweep", secrets: "PREVIEW_" },
  { workflow: "backup", job: "backup", secrets: "" },
  { workflow: "backup", job: "restore", secrets: "" },
  { workflow: "production", job: "plan", secrets: "", required: true },
  { workflow: "production", job: "production", secrets: "", required: true },
])(
  "the job $job of $workflow says in one line what is not set up, and runs nothing else",
  async ({ workflow, job: name, secrets, required }) => {
    const job = readWorkflow(workflow).jobs[name]
    if (!job) throw new Error(`${workflow}.yml has no job ${name}`)
    const run = async (contexts: Record<string, string>, actor = "ada") => {
      await using clone = await temporaryDirectory()
      for (const path of [".github/set-up.sh", "environments"]) {
        cpSync(join(root, path), join(clone.path, path), { recursive: true })
      }
      const environment = { PATH: process.env["PATH"] ?? "", GITHUB_ACTOR: actor }
      return await runJob({ job, clone: clone.path, contexts, environment, path: [] }).then(
        ({ ran, output }) => ({ ran: ran.length, output }),
        (error: unknown) => ({ ran: 0, output: String(error) }),
      )
    }
    const of = `to the GitHub environment ${job.environment}, as "Pipelines" in docs/operating.md says`
    const nothing = await run({})
    expect(nothing.output).toMatch(required ? /^Error: [^]*\n::error / : /^::notice .*\n$/)
    expect(nothing.output).toContain(
      `there is no secret ${secrets}CLOUDFLARE_API_TOKEN: add it ${of}`,
    )
    expect(nothing.ran).toBe(required ? 0 : 1)
    const half = await run({ [`secrets.${secrets}CLOUDFLARE_API_TOKEN`]: "canary" })
    expect(half.output).toMatch(/\n::error /)
    expect(half.output).toContain(
      `neither the secret ${secrets}PULUMI_ACCESS_TOKEN nor the variable`,
    )
    expect(half.output).not.toContain("canary")
    // The token was deleted, or Dependabot does not see it.
    const backend = { [`vars.${secrets}PULUMI_BACKEND_URL`]: "s3://state" }
    expect((await run(backend)).output).toMatch(/\n::error .*there is no secret/)
    const unsealed = await run({ ...backend, [`secrets.${secrets}CLOUDFLARE_API_TOKEN`]: "canary" })
    expect(unsealed.output).toMatch(/\n::error .*nothing encrypts the state in the bucket/)
    expect(unsealed.output).toContain(`neither the secret ${secrets}PULUMI_CONFIG_PASSPHRASE nor`)
    const token = { [`secrets.${secrets}CLOUDFLARE_API_TOKEN`]: "canary" }
    for (const url of ["gs://state", "azblob://state"]) {
      const outcome = await run({ ...token, [`vars.${secrets}PULUMI_BACKEND_URL`]: url })
      expect(outcome.output).toMatch(/\n::error .*this workflow has credentials of S3 alone/)
    }
    const bot = await run(backend, "dependabot[bot]")
    expect(bot.output).toMatch(required ? /\n::error / : /^::notice .*\n$/)
  },
)

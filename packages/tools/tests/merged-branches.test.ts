import { execFileSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { copyCheckout } from "./testing/checkout.ts"
import { commit } from "./testing/commit.ts"
import { readWorkflow, runJob } from "./testing/workflow.ts"

const { on, jobs } = readWorkflow("check")

const another = `config:
  accounts:environment: staging
  accounts:name: accounts-staging-eu
  accounts:accountId: "${"0".repeat(32)}"
  accounts:zone: example.org
  accounts:apiOrigin: https://api.example.org
  accounts:webOrigin: https://app.example.org
  accounts:cookieDomain: example.org
  accounts:mailUrl: https://mail.example.org/send
`

test("two pull requests, each of them green, are refused together where they leave a file stale", async () => {
  const { environments: job } = jobs
  if (!job) throw new Error("check.yml has no job environments")
  await using clone = copyCheckout()
  const { directory } = clone
  const git = (...args: string[]) => execFileSync("git", args, { cwd: directory, stdio: "pipe" })
  writeFileSync(join(directory, ".git", "npm"), "#!/bin/sh\n")
  chmodSync(join(directory, ".git", "npm"), 0o755)
  const check = () =>
    runJob({
      job,
      clone: directory,
      contexts: {},
      environment: { PATH: process.env["PATH"] ?? "" },
      path: [join(directory, ".git")],
    })

  git("switch", "--quiet", "--create", "table")
  clone.addMigration("note", "CREATE TABLE note (id TEXT PRIMARY KEY);\n")
  await expect(check()).rejects.toThrow("stale: ./accounts environment render")
  await clone.succeed("environment", "render")
  commit(directory, "Add a table")
  await check()

  git("switch", "--quiet", "--create", "template", "main")
  writeFileSync(join(directory, "environments", "Pulumi.staging-eu.yaml"), another)
  await clone.succeed("environment", "render")
  commit(directory, "Add an environment")
  await check()

  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
  git(...identity, "merge", "--quiet", "--no-edit", "table")
  await expect(check()).rejects.toThrow(/staging-eu\.effective\.yaml: stale\n.*_note\.sql/)
})

test("the check runs on what is merged, and before that in a merge queue", () => {
  expect(on).toEqual({ pull_request: null, merge_group: null, push: { branches: ["main"] } })
})

import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { expect, test } from "vitest"

import { createPrograms } from "./testing/programs.ts"
import { holds, type Job, readWorkflow, runJob } from "./testing/workflow.ts"

test("staging deploys the newest commit with green checks, and production the one that staging released", async () => {
  const { on, jobs } = readWorkflow("staging")
  const check = { workflows: ["check"], types: ["completed"], branches: ["main"] }
  expect(on).toEqual({ workflow_run: check, workflow_dispatch: null })
  const { staging } = jobs
  const ref = { "github.ref": "refs/heads/main" }
  const ended = (conclusion: string) => ({
    ...ref,
    "github.event.workflow_run.conclusion": conclusion,
  })
  expect(holds(staging?.if ?? "", ended("success"))).toBe(true)
  expect(holds(staging?.if ?? "", ended("failure"))).toBe(false)

  const { plan, production } = readWorkflow("production").jobs
  const refs = [staging, plan, production].map(
    (job) =>
      job?.steps.findLast(({ uses }) => uses?.startsWith("actions/checkout@"))?.with?.["ref"],
  )
  expect(refs).toEqual([
    "${{ steps.green.outputs.commit }}",
    "${{ steps.staging.outputs.commit }}",
    "${{ needs.plan.outputs.commit }}",
  ])

  const first = async (job: Job | undefined, answers: Record<string, string>) => {
    if (!job) throw new Error("there is no such job")
    const steps = job.steps.filter(({ env }) => "GH_TOKEN" in env)
    await using clone = await temporaryDirectory()
    const cases = Object.entries(answers).map(([asked, act]) => `*"${asked}"*) ${act} ;;`)
    using programs = createPrograms({ gh: `case "$*" in ${cases.join(" ")} *) exit 1 ;; esac` })
    const environment = { PATH: process.env["PATH"] ?? "" }
    const contexts = { "steps.set-up.outputs.ready": "yes" }
    const run = { clone: clone.path, contexts, environment, path: [programs.directory] }
    return await runJob({ ...run, job: { ...job, steps } })
  }
  const green = "check.yml/runs?branch=main&event=push&status=success"
  const released = "staging.yml/runs?branch=main&status=success"
  const found = await first(staging, { [green]: "echo 0123abc" })
  expect(found.outputs).toEqual({ commit: "0123abc" })
  await expect(first(staging, { [green]: "true" })).rejects.toThrow("no commit of main has green")
  const file = `echo '{"commit":"0123abc","content":{}}' > "$RUNNER_TEMP/released.json"`
  const taken = await first(plan, { [released]: "echo 7", "run download 7": file })
  expect(taken.outputs).toEqual({ commit: "0123abc" })
  const nothing = first(plan, { [released]: "echo 7", "run download 7": "exit 1" })
  await expect(nothing).rejects.toThrow("the last run of staging released nothing")
})

import { expect, test } from "vitest"

import { pipelineLimit } from "../environment/rules/behaviour.ts"
import { readWorkflow } from "./testing/workflow.ts"

test("the limit of a pipeline is that of the job which deploys", () => {
  for (const environment of ["staging", "production"] as const) {
    const { jobs } = readWorkflow(environment)
    expect(jobs[environment]?.["timeout-minutes"]).toBeGreaterThan(0)
    expect(pipelineLimit(environment)).toBe(jobs[environment]?.["timeout-minutes"])
  }
  expect(pipelineLimit("local")).toBeUndefined()
})

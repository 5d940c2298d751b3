import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { parse } from "yaml"
import * as z from "zod"

import { root } from "../base/root.ts"

const Workflow = z.object({
  jobs: z.record(z.string(), z.object({ "timeout-minutes": z.number().optional() })),
})

/** GitHub's own, in minutes. */
const defaultLimit = 360

/** A check asks for each stack file and each acceptance; parsing a workflow takes as long as all other rules. */
const known = new Map<string, number | undefined>()

/**
 * Minutes after which GitHub kills the job that deploys an environment, as its workflow says. Undefined
 * where this repository has none, as where another pipeline deploys.
 */
export function pipelineLimit(environment: string): number | undefined {
  if (!known.has(environment)) known.set(environment, readLimit(environment))
  return known.get(environment)
}

function readLimit(environment: string): number | undefined {
  const path = join(root, ".github", "workflows", `${environment}.yml`)
  if (!existsSync(path)) return undefined
  const job = Workflow.parse(parse(readFileSync(path, "utf8"))).jobs[environment]
  return job && (job["timeout-minutes"] ?? defaultLimit)
}

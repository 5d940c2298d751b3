import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { parse } from "yaml"
import * as z from "zod"

import { Failure, messageOf } from "../../base/failure.ts"

const Step = z.looseObject({
  run: z.string().default(""),
  env: z.record(z.string(), z.coerce.string()).default({}),
})

/** Loose, as any key may read a setting. */
const Job = z.looseObject({
  environment: z.union([z.string(), z.object({ name: z.string() })]).optional(),
  steps: z.array(Step).default([]),
})

const Workflow = z.object({ env: z.unknown().optional(), jobs: z.record(z.string(), Job) })

export type Setting = { kind: "secret" | "variable"; name: string }

/** What the workflows read of one GitHub environment, or of the repository where a job names none. */
export type Needs = {
  /** Undefined: the repository itself. */
  environment: string | undefined
  workflows: string[]
  settings: Setting[]
  /** The `env` of each step that runs `.github/set-up.sh`, with its expressions. */
  setUps: Record<string, string>[]
}

/** By the files alone, so that what a workflow begins to read is asked for from then on. */
export function workflowNeeds(root: string): Needs[] {
  const directory = join(root, ".github", "workflows")
  const jobs = readdirSync(directory)
    .filter((file) => /\.ya?ml$/.test(file))
    .flatMap((file) => {
      const workflow = readWorkflow(join(directory, file))
      return Object.values(workflow.jobs).map((job) => ({ file, job, env: workflow.env }))
    })
  const grouped = Map.groupBy(jobs, ({ job: { environment } }) =>
    typeof environment === "object" ? environment.name : environment,
  )
  return Array.from(grouped, ([environment, group]) => ({
    environment,
    workflows: unique(group.map(({ file }) => file)),
    settings: settingsIn(JSON.stringify(group.map(({ job, env }) => [job, env]))),
    setUps: group.flatMap(({ job }) =>
      job.steps.filter(({ run }) => run.includes(".github/set-up.sh")).map(({ env }) => env),
    ),
  }))
    .filter(({ settings }) => settings.length > 0)
    .toSorted((a, b) => (a.environment ?? "").localeCompare(b.environment ?? ""))
}

function readWorkflow(path: string) {
  try {
    return Workflow.parse(parse(readFileSync(path, "utf8")))
  } catch (cause) {
    const message = `${path} cannot be read as a workflow: ${messageOf(cause)}`
    throw new Failure("COMMAND_FAILED", message, { cause })
  }
}

function settingsIn(text: string): Setting[] {
  const uses = text.matchAll(/\b(secrets|vars)(?:\.|\[')(\w+)/gi)
  const found = Array.from(uses, ([, context = "", name = ""]) => {
    return `${context.toLowerCase() === "vars" ? "variable" : "secret"} ${name.toUpperCase()}`
  })
  return (
    unique(found)
      .toSorted()
      .map((one) => one.split(" "))
      .map(
        ([kind, name = ""]) => ({ kind: kind === "secret" ? "secret" : "variable", name }) as const,
      )
      // GitHub's own, there in every run.
      .filter(({ name }) => name !== "GITHUB_TOKEN")
  )
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)]
}

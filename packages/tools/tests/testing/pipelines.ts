import { expect } from "vitest"

import { createGitHub } from "./github.ts"
import { type JobRun, readWorkflow, runJob } from "./workflow.ts"

/** Jobs of the pipeline, by what they do. */
const jobs = {
  staging: { workflow: "staging", job: "staging" },
  plan: { workflow: "production", job: "plan" },
  production: { workflow: "production", job: "production" },
  preview: { workflow: "preview", job: "preview" },
  "preview down": { workflow: "preview", job: "preview" },
  sweep: { workflow: "sweep", job: "sweep" },
  drift: { workflow: "drift", job: "staging" },
  backup: { workflow: "backup", job: "backup" },
  restore: { workflow: "backup", job: "restore" },
}

type Machine = {
  clone: string
  environment: Record<string, string>
  path: string[]
  hosting: string
}

type Input = {
  /** Digest of the approved plan. */
  digest?: string
  /** Options of `branch sweep`. */
  sweeping?: string
}

export type Pipeline = {
  run: (name: keyof typeof jobs, machine: Machine, input?: Input) => Promise<JobRun>
  /** Last release of staging, for the job that plans production. */
  released: () => string
  release: (artifact: string) => void
}

type Credentials = Record<string, string>

function sweepWith(run: string | undefined, { sweeping = "" }: Input): string | undefined {
  return run?.replaceAll("branch sweep ", `branch sweep ${sweeping} `)
}

const publicNames = new Set([
  "PULUMI_BACKEND_URL",
  "ACCOUNTS_BACKUPS",
  "ACCOUNTS_BACKUPS_RECIPIENTS",
])

/** @param directory of the programs of a runner */
export function openGitHubPipeline(
  directory: string,
  credentials: Credentials,
  token: string,
): Pipeline {
  const github = createGitHub(directory)
  const contexts = Object.fromEntries(
    Object.entries(credentials).flatMap(([name, value]) => {
      const kind = publicNames.has(name) ? "vars" : "secrets"
      const preview = [`${kind}.PREVIEW_${name}`, value]
      // Staging and production have no key of the bucket, but a role that they may take.
      return name.startsWith("AWS_") ? [preview] : [[`${kind}.${name}`, value], preview]
    }),
  )
  const role = "arn:aws:iam::123456789012:role/state"

  /** As AWS does who may take the role of the bucket. */
  function keys(action: string, input: Record<string, string>): Record<string, string> {
    if (!action.startsWith("aws-actions/configure-aws-credentials@")) return {}
    expect(input).toMatchObject({ "role-to-assume": role, "output-env-credentials": "false" })
    return {
      "aws-access-key-id": credentials["AWS_ACCESS_KEY_ID"] ?? "",
      "aws-secret-access-key": credentials["AWS_SECRET_ACCESS_KEY"] ?? "",
      "aws-session-token": "for an hour",
    }
  }

  return {
    ...github,
    async run(name, { environment, ...machine }, input = {}) {
      const { workflow, job: id } = jobs[name]
      const job = readWorkflow(workflow).jobs[id]
      if (!job) throw new Error(`${workflow}.yml has no job ${id}`)
      const steps = job.steps.map((step) => ({ ...step, run: sweepWith(step.run, input) }))
      return await runJob({
        ...machine,
        job: { ...job, steps },
        keys,
        environment: { ...environment, GITHUB_HEAD_REF: "feature/Login" },
        contexts: {
          ...contexts,
          "vars.AWS_ROLE_TO_ASSUME": role,
          "github.ref": "refs/heads/main",
          "github.token": token,
          "github.event.action": name === "preview down" ? "closed" : "synchronize",
          "needs.plan.outputs.digest": input.digest ?? "",
        },
      })
    },
  }
}

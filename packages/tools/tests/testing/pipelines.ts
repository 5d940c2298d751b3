import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { expect } from "vitest"
import { parse } from "yaml"
import * as z from "zod"

import { root } from "../../base/root.ts"
import { createGitHub } from "./github.ts"
import { type Job, type JobRun, readWorkflow, runJob } from "./workflow.ts"

/** A job of each pipeline, by what it does. */
const jobs = {
  staging: { workflow: "staging", job: "staging", gitlab: "staging" },
  plan: { workflow: "production", job: "plan", gitlab: "production-plan" },
  production: { workflow: "production", job: "production", gitlab: "production" },
  preview: { workflow: "preview", job: "preview", gitlab: "preview" },
  "preview down": { workflow: "preview", job: "preview", gitlab: "preview-down" },
  sweep: { workflow: "sweep", job: "sweep", gitlab: "sweep" },
  drift: { workflow: "drift", job: "staging", gitlab: "drift" },
  backup: { workflow: "backup", job: "backup", gitlab: "backup" },
  restore: { workflow: "backup", job: "restore", gitlab: "restore" },
}

type Machine = {
  clone: string
  environment: Record<string, string>
  path: string[]
  hosting: string
}

type Input = {
  /** Of the plan that was approved. */
  digest?: string
  /** Options of `branch sweep`. */
  sweeping?: string
}

export type Pipeline = {
  run: (name: keyof typeof jobs, machine: Machine, input?: Input) => Promise<JobRun>
  /** What staging has released last, for the job that plans production. */
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

const Script = z.union([z.string(), z.array(z.string())]).transform((lines) => [lines].flat())

const GitLabJob = z.object({
  extends: z.string().optional(),
  id_tokens: z.record(z.string(), z.object({ aud: z.string() })).default({}),
  parallel: z.object({ matrix: z.array(z.record(z.string(), z.string())) }).optional(),
  environment: z.object({ name: z.string() }).loose().optional(),
  variables: z.record(z.string(), z.string()).default({}),
  before_script: Script.default([]),
  script: Script.default([]),
  artifacts: z
    .object({
      paths: z.array(z.string()).default([]),
      reports: z.object({ dotenv: z.string() }).optional(),
    })
    .optional(),
})

/** The first of a matrix. What a job extends has what it has not said itself. */
function readOwn(file: Record<string, unknown>, name: string): z.infer<typeof GitLabJob> {
  const job = GitLabJob.parse(file[name])
  const variables = { ...job.parallel?.matrix[0], ...job.variables }
  if (job.extends === undefined) return { ...job, variables }
  const base = readOwn(file, job.extends)
  return {
    ...base,
    ...job,
    id_tokens: { ...base.id_tokens, ...job.id_tokens },
    before_script: job.before_script.length > 0 ? job.before_script : base.before_script,
    variables: { ...base.variables, ...variables },
  }
}

/** A job of `.gitlab-ci.yml` as one step: a runner gives all of its lines to one shell. */
export function readGitLabJob(name: string, given: Record<string, string>): Job {
  const file: Record<string, unknown> = parse(readFileSync(join(root, ".gitlab-ci.yml"), "utf8"))
  const { variables, id_tokens, before_script, script, artifacts } = readOwn(file, name)
  const expandBy = (known: Record<string, string>) => (text: string) =>
    text.replaceAll(/\$(\w+)/g, (_, key: string) => known[key] ?? "")
  const tokens = Object.entries(id_tokens).map(([key, { aud }]) => [
    key,
    idToken(expandBy(given)(aud)),
  ])
  const env: Credentials = { ...given, ...Object.fromEntries(tokens), ...variables }
  const expand = expandBy(env)
  const { paths = [], reports } = artifacts ?? {}
  const left = reports === undefined ? [] : [`cat ${reports.dotenv} >> "$GITHUB_OUTPUT"`]
  return {
    "runs-on": "image",
    "timeout-minutes": 60,
    steps: [
      {
        run: [...before_script, ...script, ...left].join("\n"),
        env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, expand(value)])),
      },
      // One by its whole name: others are taken by whoever reads them.
      ...paths
        .filter((path) => !path.includes("*"))
        .map((path) => ({ uses: "actions/upload-artifact@", with: { path }, env: {} })),
    ],
  }
}

/** As GitLab signs one for whoever trusts the project. */
function idToken(aud: string): string {
  const parts = [
    { alg: "RS256", typ: "JWT" },
    { aud, sub: "project_path:ours/accounts" },
  ]
  const encoded = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  return [...encoded, "c2lnbmF0dXJl"].join(".")
}

/** @param role what staging and production have instead of a key of the bucket */
export function openGitLabPipeline(
  credentials: Credentials,
  { role, issues }: { role: Credentials; issues: Credentials },
): Pipeline {
  let artifact = ""
  return {
    released: () => artifact,
    release: (text) => (artifact = text),
    async run(name, machine, input = {}) {
      const { workflow, gitlab } = jobs[name]
      const keyless = Object.entries(credentials).filter(([key]) => !key.startsWith("AWS_"))
      const isPreview = ["preview", "sweep"].includes(workflow)
      const job = readGitLabJob(gitlab, {
        ...(isPreview ? credentials : { ...Object.fromEntries(keyless), ...role }),
        CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feature/Login",
        DIGEST: input.digest ?? "",
      })
      if (name === "plan") writeFileSync(join(machine.clone, "released.json"), artifact)
      const steps = job.steps.map((step) => ({ ...step, run: sweepWith(step.run, input) }))
      const done = await runJob({ ...machine, job: { ...job, steps }, contexts: {} })
      // It gets what the one before has left.
      if (name === "drift") {
        await runJob({ ...machine, job: readGitLabJob("issues", issues), contexts: {} })
      }
      const { DIGEST: digest = "" } = done.outputs
      // There is no summary but the log.
      return { ...done, summary: done.output, outputs: { digest } }
    },
  }
}

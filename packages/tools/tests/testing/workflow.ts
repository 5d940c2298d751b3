import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"

import { parse } from "yaml"
import * as z from "zod"

import { root } from "../../base/root.ts"

const Step = z.strictObject({
  id: z.string().optional(),
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  run: z.string().optional(),
  env: z.record(z.string(), z.string()).default({}),
})

type Step = z.infer<typeof Step>

const Job = z.strictObject({
  if: z.string().optional(),
  needs: z.string().optional(),
  permissions: z.record(z.string(), z.string()).optional(),
  outputs: z.record(z.string(), z.string()).optional(),
  "runs-on": z.string(),
  "timeout-minutes": z.number(),
  environment: z.string().optional(),
  steps: z.array(Step),
})
export type Job = z.infer<typeof Job>

/** Strict, so that a job's or a workflow's `env` is no way for credentials to reach every step. */
const Workflow = z.strictObject({
  name: z.string(),
  on: z.unknown(),
  permissions: z.record(z.string(), z.string()),
  concurrency: z.strictObject({ group: z.string(), "cancel-in-progress": z.boolean() }).optional(),
  defaults: z.strictObject({ run: z.strictObject({ shell: z.literal("bash") }) }).optional(),
  jobs: z.record(z.string(), Job),
})

const directory = join(root, ".github", "workflows")

export const workflowNames = readdirSync(directory).map((file) => file.replace(/\.yml$/, ""))

export function readWorkflow(name: string): z.infer<typeof Workflow> {
  return Workflow.parse(parse(readFileSync(join(directory, `${name}.yml`), "utf8")))
}

/** Values of GitHub's contexts by their whole name, such as `secrets.CLOUDFLARE_API_TOKEN`. */
export type Contexts = Record<string, string>

/** Evaluates an `if`, as far as the workflows need it. @throws for any other expression */
export function holds(expression: string, contexts: Contexts): boolean {
  const either = expression.split(" || ")
  if (either.length > 1) return either.some((alternative) => holds(alternative, contexts))
  return expression.split(" && ").every((term) => {
    const call = /^startsWith\(([\w.-]+), '([^']*)'\)$/.exec(term)
    if (call) return (contexts[call[1] ?? ""] ?? "").startsWith(call[2] ?? "")
    const comparison = /^([\w.-]+) (==|!=) (?:'([^']*)'|([\w.-]+))$/.exec(term)
    if (!comparison) throw new Error(`This runner cannot evaluate: ${term}`)
    const [, variable = "", operator, text, name = ""] = comparison
    const equal = (contexts[variable] ?? "") === (text ?? contexts[name] ?? "")
    return operator === "==" ? equal : !equal
  })
}

/** Replaces `${{ … }}` by the values of its expressions: of several names or texts, the first that is not empty. */
export function fillIn(text: string, contexts: Contexts): string {
  return text.replaceAll(/\$\{\{ (.+?) \}\}/g, (_, expression: string) => {
    const terms = expression.split(" || ")
    return terms.every((term) => /^(?:[\w.-]+|'[^']*')$/.test(term))
      ? (terms.map((term) => contexts[term] ?? /^'(.*)'$/.exec(term)?.[1]).find(Boolean) ?? "")
      : String(holds(expression, contexts))
  })
}

export type JobRun = {
  ran: string[]
  output: string
  summary: string
  artifacts: string[]
  /** Lines that steps wrote to GITHUB_OUTPUT. */
  outputs: Record<string, string>
}

/**
 * Runs the `run:` steps of a job in order, in a clone, as a hosted runner does. Of the steps with `uses`,
 * checkout and Node are there already, and an artifact is read instead of uploaded. Where a repository is
 * given, a checkout is made of it.
 * @throws if a step fails
 */
export async function runJob(options: {
  job: Job
  clone: string
  /** Repository that `actions/checkout` clones into the empty directory. */
  repository?: string
  contexts: Contexts
  /** Replaces an action that requests keys. @returns its outputs */
  keys?: (action: string, input: Record<string, string>) => Record<string, string>
  /** Of every step, as a runner's own. */
  environment: Record<string, string>
  /** Directories that come before those that a step adds to GITHUB_PATH. */
  path: string[]
  /** Directory of the `pulumi` for steps in which the engine itself starts the program. */
  hosting?: string
  /** Program that runs each step, such as one that cuts it off from the network. */
  within?: string[]
}): Promise<JobRun> {
  const { job, clone, environment, path, hosting, within = [] } = options
  const contexts = { ...options.contexts }
  const files = mkdtempSync(join(tmpdir(), "accounts-runner-"))
  const file = (name: string) => {
    const created = join(files, name)
    if (!existsSync(created)) writeFileSync(created, "")
    return created
  }
  const done: JobRun = { ran: [], output: "", summary: "", artifacts: [], outputs: {} }
  for (const step of job.steps) {
    if (step.if !== undefined && !holds(step.if, contexts)) continue
    if (step.uses?.startsWith("actions/upload-artifact@")) {
      done.artifacts.push(readFileSync(join(clone, String(step.with?.["path"])), "utf8"))
    }
    if (step.uses?.startsWith("actions/checkout@") && options.repository !== undefined) {
      checkOut(options.repository, clone, step.with, contexts)
    }
    const input = Object.entries(step.with ?? {}).map(
      ([name, value]) => [name, fillIn(String(value), contexts)] as const,
    )
    const outputs = options.keys?.(step.uses ?? "", Object.fromEntries(input)) ?? {}
    for (const [name, value] of Object.entries(outputs)) {
      contexts[`steps.${step.id}.outputs.${name}`] = value
    }
    if (step.run === undefined) continue
    const added = readFileSync(file("path"), "utf8").split("\n").filter(Boolean).toReversed()
    const hosts = hosting !== undefined && /^pulumi (?:preview|up|refresh)\b/m.test(step.run)
    const directories = [...(hosts ? [hosting] : []), ...path, ...added]
    const env = {
      // The test run's folder, which may be in memory: a clone on a disk takes ten times as long.
      TMPDIR: tmpdir(),
      ...environment,
      ...Object.fromEntries(
        Object.entries(step.env).map(([name, value]) => [name, fillIn(value, contexts)]),
      ),
      PATH: [...directories, environment["PATH"]].join(delimiter),
      GITHUB_PATH: file("path"),
      GITHUB_REPOSITORY: "ours/accounts",
      RUNNER_TEMP: files,
      GITHUB_STEP_SUMMARY: file("summary"),
      GITHUB_OUTPUT: file("output"),
    }
    const output = await runStep(fillIn(step.run, contexts), { cwd: clone, env, within })
    done.ran.push(step.run)
    done.output += output
    const written = readFileSync(file("output"), "utf8").matchAll(/^(\w+)=(.*)$/gm)
    for (const [, name = "", value = ""] of written) {
      done.outputs[name] = value
      contexts[`steps.${step.id}.outputs.${name}`] ??= value
    }
  }
  return { ...done, summary: readFileSync(file("summary"), "utf8") }
}

/** Acts like the action: without a ref it takes the event's commit, which is the repository's HEAD. */
function checkOut(repository: string, clone: string, input: Step["with"], contexts: Contexts) {
  const { ref, path } = z
    .object({ ref: z.string(), path: z.string() })
    .partial()
    .parse(input ?? {})
  const place = join(clone, path ?? ".")
  const git = (...args: string[]) => execFileSync("git", args, { stdio: "pipe" })
  git("clone", "--quiet", "--no-checkout", repository, place)
  git("-C", place, "checkout", "--quiet", "--detach", fillIn(ref ?? "origin/HEAD", contexts))
}

async function runStep(
  script: string,
  { within, ...options }: { cwd: string; env: Record<string, string>; within: string[] },
): Promise<string> {
  const shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
  const [program = "", ...args] = [...within, ...shell]
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  if (code === 0) return output
  throw new Error(`${script} exited with ${code}:\n${output}`)
}

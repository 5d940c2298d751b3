import { execFileSync } from "node:child_process"

import { paint } from "../output.ts"
import type { openGitHub } from "./github-settings.ts"
import { type Needs, type Setting, workflowNeeds } from "./workflow-needs.ts"

type GitHub = Pick<
  ReturnType<typeof openGitHub>,
  "environments" | "ofEnvironment" | "ofOrganization" | "ofRepository"
>

type Place = "environment" | "repository" | "organization"

export type Examined = {
  environment: string | undefined
  workflows: string[]
  /** Undefined where GitHub was not asked. */
  exists: boolean | undefined
  settings: (Setting & {
    /** The nearest place that has it; undefined where none has, or GitHub was not asked. */
    place: Place | undefined
    /** What sets it. */
    command: string
  })[]
  /** What keeps the workflows from running, in the words that they would say it in. */
  refused: string[]
}

/** @param github undefined where nobody can ask it: then all is listed, and nothing is known */
export async function examineGitHub(root: string, github: GitHub | undefined): Promise<Examined[]> {
  const needs = workflowNeeds(root)
  if (github === undefined) {
    return needs.map((one) => examined(one, { root, exists: undefined, places: [] }))
  }
  const existing = new Set(await github.environments())
  const shared = [
    ["repository", await github.ofRepository()],
    ["organization", await github.ofOrganization()],
  ] satisfies Places
  const found = new Array<Examined>()
  for (const one of needs) {
    const { environment } = one
    const exists = environment === undefined || existing.has(environment)
    const own =
      environment !== undefined && exists ? await github.ofEnvironment(environment) : undefined
    const places: Places = [...(own ? [["environment", own] as const] : []), ...shared]
    found.push(examined(one, { root, exists, places }))
  }
  return found
}

/** What each place has, the nearest first. */
type Places = (readonly [Place, Awaited<ReturnType<GitHub["ofRepository"]>>])[]

type Known = { root: string; exists: boolean | undefined; places: Places }

function examined({ setUps, ...needs }: Needs, { root, exists, places }: Known): Examined {
  const { environment, workflows } = needs
  const holder = ({ kind, name }: Setting) => places.find(([, items]) => items[kind].has(name))
  const at = environment === undefined ? "" : ` --env ${environment}`
  const settings = needs.settings.map((one) => ({
    ...one,
    place: holder(one)?.[0],
    command: `gh ${one.kind} set ${one.name}${at}`,
  }))
  const valueOf = (one: Setting) => {
    const items = holder(one)?.[1][one.kind]
    return items && (one.kind === "secret" ? "set" : (items.get(one.name) ?? ""))
  }
  const said = exists
    ? setUps.map((env) => runSetUp(root, environment ?? "", fillIn(env, valueOf)))
    : []
  return { environment, workflows, exists, settings, refused: [...new Set(said.filter(Boolean))] }
}

/** Fills in the expressions of a step: whether any of some settings is there (`!= ''`), or the value of one. */
function fillIn(env: Record<string, string>, valueOf: (one: Setting) => string | undefined) {
  const value = (expression: string) => {
    const uses = Array.from(expression.matchAll(/\b(secrets|vars)\.(\w+)/g))
    const [found] = uses.flatMap(([, context, name = ""]) => {
      return valueOf({ kind: context === "vars" ? "variable" : "secret", name }) || []
    })
    return expression.includes("!= ''") ? String(found !== undefined) : (found ?? "")
  }
  return Object.fromEntries(
    Object.entries(env).map(([key, text]) => [key, text.replaceAll(/\$\{\{.+?\}\}/g, value)]),
  )
}

/** What the workflow's own script says of it: one line, or nothing where all is there. */
function runSetUp(root: string, environment: string, env: Record<string, string>): string {
  const files = { GITHUB_STEP_SUMMARY: "/dev/null", GITHUB_OUTPUT: "/dev/null", GITHUB_ACTOR: "" }
  try {
    execFileSync("bash", [".github/set-up.sh", environment, "required"], {
      cwd: root,
      env: { ...process.env, PREFIX: "", ...env, ...files },
      encoding: "utf8",
      stdio: "pipe",
    })
    return ""
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout) : ""
    return /^::\w+ title=.*?::(.*)$/m.exec(output)?.[1] ?? String(error)
  }
}

export function describeGitHub(found: Examined[], repository = "{owner}/{repo}"): string {
  return found
    .flatMap(({ environment, workflows, exists, settings, refused }) => {
      const create = `gh api --method PUT repos/${repository}/environments/${environment}`
      const width = Math.max(...settings.map(({ name }) => name.length))
      return [
        `${environment ?? "the repository"} (${workflows.join(", ")})`,
        ...(exists === false
          ? [`  ${paint.red("✗")} this environment does not exist: ${create}`]
          : []),
        ...settings.map(({ kind, name, place, command }) => {
          const state = exists === undefined ? command : `not set: ${command}`
          return `  ${kind.padEnd(8)}  ${name.padEnd(width)}  ${place ? `set in the ${place}` : state}`
        }),
        ...refused.map((reason) => `  ${paint.red("✗")} ${reason}`),
      ]
    })
    .join("\n")
}

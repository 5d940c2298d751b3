import * as z from "zod"

import { Failure } from "../../failure.ts"
import { Environment } from "./environment.ts"
import { cloudflareApi, findProblems, type Problem } from "./rules.ts"

/** A stack's configuration as Pulumi passes it: text by `namespace:key`, structures as JSON. */
export type Configuration = Record<string, string>

export type Stack = { name: string; environment: Environment; baseUrl: string }

/** The failure of a stack file, naming it and every key that is wrong. */
export function invalidEnvironment(file: string, problems: Problem[]): Failure {
  const lines = problems.map(({ key, message }) => `  ${key} ${message}`)
  const message = `${file} cannot be used:\n${lines.join("\n")}`
  return new Failure("ENVIRONMENT_INVALID", message, { facts: { problems } })
}

/** @throws ENVIRONMENT_INVALID */
export function readStack(options: {
  name: string
  file: string
  configuration: Configuration
}): Stack {
  const { name, file, configuration } = options
  const problems = foreignKeys(configuration)
  const values: Record<string, unknown> = {}
  for (const [key, text] of Object.entries(configuration)) {
    if (!key.startsWith("accounts:")) continue
    const short = key.slice("accounts:".length)
    values[short] = isText(short) ? text : parseJson(text)
  }
  const { data, error } = Environment.safeParse(values)
  if (error) problems.push(...error.issues.flatMap(asProblems))
  const baseUrl = configuration["cloudflare:baseUrl"] ?? cloudflareApi
  if (data) problems.push(...findProblems(name, data, baseUrl))
  if (!data || problems.length > 0) throw invalidEnvironment(file, problems)
  return { name, environment: data, baseUrl }
}

/** Keys of other namespaces would change a deployment where reviewers do not look. */
function foreignKeys(configuration: Configuration): Problem[] {
  return Object.keys(configuration)
    .filter((key) => !key.startsWith("accounts:") && key !== "cloudflare:baseUrl")
    .map((key) => ({
      key,
      message: key.startsWith("cloudflare:")
        ? "is not taken from a stack file: the token comes from CLOUDFLARE_API_TOKEN alone"
        : "is not a key of this project: remove it",
    }))
}

const { properties = {} } = z.toJSONSchema(Environment, { io: "input" })

/** Pulumi passes only text as it is and everything else as JSON. */
function isText(key: string): boolean {
  const property = properties[key]
  return typeof property !== "object" || property.type === "string"
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function asProblems(issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map(String)
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      key: `accounts:${[...path, key].join(".")}`,
      message:
        path.length > 0 ? "is not a known key: remove it" : `is not a known key: one of ${known()}`,
    }))
  }
  const [first = "", ...rest] = path
  const missing = issue.code === "invalid_type" && issue.input === undefined
  return [
    {
      key: `accounts:${[first, ...rest].join(".")}`,
      message: missing ? "is missing" : issue.message,
    },
  ]
}

function known() {
  return Object.keys(Environment.shape).join(", ")
}

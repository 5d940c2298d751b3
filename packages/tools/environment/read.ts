import type * as z from "zod"

import { Failure } from "../base/failure.ts"
import { isLoopback } from "../base/loopback.ts"
import { cloudflareApi } from "../base/process-environment.ts"
import { Environment } from "./environment.ts"
import type { Subject } from "./rules/rule.ts"
import { describeFinding, type Finding, judge, type Locate } from "./rules/rules.ts"
import { readSource, type StackFile } from "./stack-source.ts"
import {
  type Configuration,
  describe,
  type EnvironmentFile,
  readSubject,
  valuesOf,
  configurationOf,
  committedEnvironments,
} from "./subject.ts"

export type Stack = {
  name: string
  environment: Environment
  baseUrl: string
  /** Findings that the file accepts. */
  accepted: Finding[]
}

/** Returns the failure of a stack file with every problem. Each problem begins with its key. */
export function unusable(file: string, problems: string[]): Failure {
  const lines = problems.map((problem) => `  ${problem}`)
  return new Failure("COMMAND_FAILED", `${file} cannot be used:\n${lines.join("\n")}`)
}

type Options = {
  name: string
  file: string
  configuration: Configuration
  /** Whether the engine has opened the secrets. */
  opened?: boolean
  /** Path of the file if it exists, to find line numbers, ciphertexts and secrets in plain text. */
  path?: string | undefined
  /** The other files of `environments/`. */
  neighbours?: EnvironmentFile[]
}

/** @throws Failure with every finding that the file does not accept */
export function readStack(options: Options): Stack {
  const { name, file, configuration, opened = false } = options
  const values = valuesOf(configuration)
  const { locate, ...source } = sourceOf(options)
  const described = describe({ stack: name, label: file, values, seals: source.seals })
  const subject: Subject = { ...described, ...source, values, opened, committed: false }
  const findings = judge(subject, { locate })
  const refused = findings.filter(({ accepted }) => accepted === undefined)
  const { data } = Environment.safeParse(shortKeys(values))
  if (refused.length > 0 || !data) throw unusable(file, refused.map(describeFinding))
  const accepted = findings.filter((finding) => finding.accepted !== undefined)
  const baseUrl = configuration["cloudflare:baseUrl"] ?? cloudflareApi
  return { name, environment: data, baseUrl, accepted }
}

type Source = Pick<Subject, "broken" | "unsealed" | "seals" | "neighbours" | "imports"> & {
  locate: Locate
}

function sourceOf(options: Options): Source {
  const { name, file, configuration, path, neighbours = [] } = options
  if (path === undefined) {
    const unknown = { broken: [], unsealed: undefined, seals: {}, neighbours: [], imports: false }
    return { ...unknown, locate: () => undefined }
  }
  // A stack on this machine shares nothing with the environments at Cloudflare.
  const environmentFiles = isLoopback(configuration["cloudflare:baseUrl"] ?? "") ? [] : neighbours
  const subject = readSubject({ stack: name, path, label: file, template: false }, environmentFiles)
  const { broken, unsealed, seals, imports, source } = subject
  return { broken, unsealed, seals, imports, neighbours: subject.neighbours, locate: source.locate }
}

function shortKeys(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      key.startsWith("accounts:") ? [[key.slice("accounts:".length), value]] : [],
    ),
  )
}

/**
 * Checks a stack file before any engine starts, without decrypting its secrets.
 * @throws Failure, with the place of every problem
 */
export function readStackFile({
  path,
  name,
  label = path,
  neighbours = [],
}: {
  path: string
  name: string
  label?: string
  neighbours?: EnvironmentFile[]
}): Stack {
  const configuration = readConfiguration(path, label)
  return readStack({ name, file: label, configuration, path, neighbours })
}

/**
 * Returns the `config` of a stack file as Pulumi would pass it, with placeholders for encrypted values.
 * @throws Failure if it is not a valid stack file
 */
export function readConfiguration(path: string, label: string): Configuration {
  parseStackFile(path, label)
  return configurationOf(readSource(path))
}

export function parseStackFile(path: string, label: string): z.infer<typeof StackFile> {
  const { broken, file, locate } = readSource(path)
  if (broken.length === 0) return file
  throw unusable(
    label,
    broken.map(({ path: at, reason }) => {
      const { line, column } = locate(at) ?? {}
      const place = line === undefined ? "" : ` (line ${line}, column ${column})`
      return `${at[0] ?? "the file"} ${reason}${place}`
    }),
  )
}

type Deployed = Stack & {
  /** Files of other environments whose encrypted secrets cannot be compared here. */
  sealedElsewhere: string[]
}

/**
 * Reads the configuration that the engine is about to deploy. Checks it against the committed files.
 */
export function readDeployed(
  stack: string,
  configuration: Configuration,
  files: () => EnvironmentFile[] = committedEnvironments,
): Deployed {
  const file = `Pulumi.${stack}.yaml`
  const here = isLoopback(configuration["cloudflare:baseUrl"] ?? "")
  const neighbours = here ? [] : files()
  const path = neighbours.find(
    (neighbour) => neighbour.stack === stack && !neighbour.template,
  )?.path
  const read = readStack({ name: stack, file, configuration, path, neighbours, opened: true })
  const hasSecrets = configuration["accounts:secrets"] !== undefined
  const environmentFiles = neighbours.filter(
    (neighbour) => hasSecrets && neighbour.path !== path && hasSeals(neighbour),
  )
  return { ...read, sealedElsewhere: environmentFiles.map(({ label }) => label) }
}

function hasSeals(file: EnvironmentFile): boolean {
  return Object.keys(readSubject(file).seals).some((key) => key.startsWith("accounts:secrets."))
}

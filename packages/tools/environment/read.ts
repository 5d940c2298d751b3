import { Failure } from "../base/failure.ts"
import { isLoopback } from "../base/loopback.ts"
import { cloudflareApi } from "../base/process-environment.ts"
import { Environment } from "./environment.ts"
import { describeFinding, type Finding, judge, type Locate } from "./rules/judge.ts"
import type { Subject } from "./rules/rule.ts"
import {
  type Configuration,
  describe,
  type EnvironmentFile,
  readSubject,
  valuesOf,
} from "./subject.ts"

export type Stack = {
  name: string
  environment: Environment
  baseUrl: string
  /** What the file accepts although a rule speaks against it. */
  accepted: Finding[]
}

/** The failure of a stack file, with every problem: each begins with its key. */
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
  /** The file itself, if it is there: for places, seals, and what lies in clear. */
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
  const accepted = findings.filter((one) => one.accepted !== undefined)
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
  // What runs on this machine shares nothing with the environments at Cloudflare.
  const others = isLoopback(configuration["cloudflare:baseUrl"] ?? "") ? [] : neighbours
  const subject = readSubject({ stack: name, path, label: file, template: false }, others)
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

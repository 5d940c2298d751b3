import * as z from "zod"

import { messageOf } from "../../base/failure.ts"
import { judge } from "../../environment/rules/judge.ts"
import type { Described, Subject } from "../../environment/rules/rule.ts"
import { rules } from "../../environment/rules/rules.ts"
import { describeTime, overlapsOf } from "../../environment/secrets.ts"
import { type EnvironmentFile, listEnvironments, readSubject } from "../../environment/subject.ts"
import type { Engine } from "../stack/engine.ts"
import { onCopy } from "./secret-stack.ts"

/** Values of secrets by name. */
type Values = Record<string, string>

type SecretFinding = {
  stack: string
  kind: "missing" | "extra" | "unsealed" | "weak" | "equal" | "rotation"
  key: string
  reason: string
  fix: string
}

export type Examination = {
  findings: SecretFinding[]
  /** What could not be known, and why. */
  unchecked: { stack: string; what: string; why: string }[]
  /** Rotations that are under way. */
  notices: { stack: string; text: string }[]
}

/** What the rules about secrets look for. */
const kinds: Record<string, SecretFinding["kind"]> = {
  R35: "missing",
  R37: "unsealed",
  R38: "extra",
  R39: "missing",
  R40: "weak",
  R41: "equal",
  R53: "rotation",
}
const secretRules = rules.filter(({ id }) => id in kinds)

type Options = {
  directory: string
  /** One stack alone; the others are still compared with it. */
  stack: string | undefined
  /** Undefined where no engine can be had: then no value is known. */
  engine: Engine | undefined
  now: Date
}

/** Looks at the secrets of every stack file, opening those that the caller's login or passphrase opens. */
export async function examineSecrets(options: Options): Promise<Examination> {
  const { directory, stack, now } = options
  const files = listEnvironments(directory, directory)
  const own = files.filter((file) => !file.template)
  const unchecked: Examination["unchecked"] = []
  const opened = new Map<string, Values>()
  for (const file of own) {
    const secrets = await openByEngine(file, options.engine)
    if ("secrets" in secrets) opened.set(file.label, secrets.secrets)
    else unchecked.push({ stack: file.stack, what: "weak and equal values", why: secrets.why })
  }
  const subjects = own.map((file) => withOpened(readSubject(file, files), opened))
  const findings = [
    ...subjects.flatMap(judgeSecrets),
    ...subjects.flatMap((subject) => endedOverlaps(subject, now)),
  ]
  const asked = (one: { stack: string }) => stack === undefined || one.stack === stack
  return {
    findings: findings.filter(asked),
    unchecked: unchecked.filter((one) => asked(one) || opened.size > 0),
    notices: subjects.filter(asked).flatMap((subject) => runningOverlaps(subject, now)),
  }
}

const OpenedConfig = z.object({
  "accounts:secrets": z.object({ objectValue: z.record(z.string(), z.unknown()) }).optional(),
})

/** The values of a stack's sealed secrets, or why the engine does not open them. */
async function openByEngine(
  file: EnvironmentFile,
  engine: Engine | undefined,
): Promise<{ secrets: Values } | { why: string }> {
  const { stack, path, label } = file
  const { source } = readSubject(file)
  const hasSecrets = Object.keys(source.seals).some((key) => key.startsWith("accounts:secrets."))
  if (!hasSecrets) {
    return source.broken.length === 0 ? { secrets: {} } : { why: "the file cannot be read" }
  }
  if (engine === undefined) return { why: "there is no Pulumi engine" }
  try {
    const args = ["config", "--show-secrets", "--json"]
    using copy = await onCopy(engine, { stack, path, label }, { args })
    const values =
      OpenedConfig.parse(JSON.parse(copy.stdout))["accounts:secrets"]?.objectValue ?? {}
    const texts = Object.entries(values).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    )
    return { secrets: Object.fromEntries(texts) }
  } catch (error) {
    return { why: messageOf(error).split("\n")[0] ?? "" }
  }
}

/** With the values of its secrets, where they are known. */
function withValues<One extends Described>(described: One, values: Values | undefined): One {
  if (values === undefined) return described
  const { environment } = described
  // A value that lies in clear is there as well.
  const secrets = { ...environment.secrets, ...values }
  return { ...described, opened: true, environment: { ...environment, secrets } }
}

/** A stack file and its neighbours with the values that were opened, by their labels. */
function withOpened(subject: Subject, opened: Map<string, Values>): Subject {
  const neighbours = subject.neighbours.map((one) => withValues(one, opened.get(one.label)))
  return { ...withValues(subject, opened.get(subject.label)), neighbours }
}

function judgeSecrets(subject: Subject): SecretFinding[] {
  const found = judge(subject, { rules: secretRules })
  return found
    .filter(({ accepted }) => accepted === undefined)
    .map(({ rule, key, reason, fix }) => ({
      stack: subject.stack,
      kind: kinds[rule] ?? "extra",
      key,
      reason,
      fix,
    }))
}

function endedOverlaps({ stack, environment }: Subject, now: Date): SecretFinding[] {
  return overlapsOf(environment)
    .filter(({ until }) => now >= until)
    .map(({ previous, until }) => ({
      stack,
      kind: "rotation",
      key: `accounts:secrets.${previous}`,
      reason: `is of no use since ${describeTime(until)}`,
      fix: `./accounts secret remove ${previous} -s ${stack}`,
    }))
}

function runningOverlaps({ stack, environment }: Subject, now: Date): Examination["notices"] {
  return overlapsOf(environment)
    .filter(({ until }) => now < until)
    .map(({ name, does, previous, from, until }) => {
      const begins =
        now < from
          ? `${name} ${does} from ${describeTime(from)}: deploy it before`
          : `${name} ${does} since ${describeTime(from)}`
      return { stack, text: `${begins}. ${previous} is needed until ${describeTime(until)}.` }
    })
}

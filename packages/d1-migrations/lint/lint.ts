import { readDeclarations } from "../files/declarations.ts"
import { type Names, usualNames } from "../names.ts"
import { ofReferences } from "../provenance/run.ts"
import { type Trial, tryFile } from "../provenance/trial.ts"
import { classOf, isDeclared } from "../provenance/wording.ts"
import { type Acceptance, readAcceptances } from "./acceptances.ts"
import { adviceOnAdded } from "./added-columns.ts"
import { isDoubtful } from "./doubts.ts"
import { type EarlierFile, schemaAfter } from "./earlier-schema.ts"
import { parseScript, placeAt } from "./parsed-script.ts"
import type { Found, Level, Rule } from "./rule.ts"
import { rules as allRules } from "./rules.ts"
import { findPerhaps, findUnseen } from "./unseen-tables.ts"

export type Finding = {
  /** Of a rule; "fails" for what SQLite or D1 refuse whatever the rows are. */
  rule: string
  level: Level
  /** Number of its statement, from 1. */
  statement: number
  /** From 1. */
  line: number
  column: number
  message: string
  rewrite: string
}

/**
 * `keeps` and `tidies` are safe; `tried` is so for made-up rows, where more decides about real ones;
 * `declared` loses or changes what it declares.
 */
type Outcome = "keeps" | "tidies" | "tried" | "declared" | "not judged" | "loses" | "fails"

export type Verdict = {
  outcome: Outcome
  findings: Finding[]
  /** What is missing to judge the file: tables of other files, or an earlier file that fails. */
  unknown: string[]
}

export type Script = {
  sql: string
  /** The same with declarations that stand beside it. */
  declared?: string | undefined
  /** The migrations before it, oldest first; undefined when they are not known. */
  earlier: EarlierFile[] | undefined
  names?: Names
}

/** What a migration does on the schema before it, for any rules to judge. */
type TriedScript = Pick<Script, "sql" | "declared"> & {
  earlier?: EarlierFile[] | undefined
  trial: Trial
  unseen: Found[]
  unknown: string[]
}

/** What a migration would lose, change or fail at, without its database. @throws Error on an open quote */
export function lintScript(script: Script, schemaOf = schemaAfter): Verdict {
  return judgeScript(tryScript(script, schemaOf))
}

/** @throws Error on an open quote */
export function tryScript(
  { sql, declared, earlier, names = usualNames }: Script,
  schemaOf = schemaAfter,
): TriedScript {
  const { database, problem } = schemaOf(earlier ?? [])
  using before = database
  const trial = tryFile(before, parseScript(sql), { names })
  const tried = { sql, declared, trial, earlier }
  if (earlier !== undefined && problem === undefined) {
    return { ...tried, unseen: earlier.length === 0 ? findPerhaps(trial) : [], unknown: [] }
  }
  const { found, names: missing } = findUnseen(trial, problem)
  return { ...tried, unseen: found, unknown: problem === undefined ? missing : [problem] }
}

export function judgeScript(
  { sql, declared = sql, trial, earlier = [], unseen, unknown }: TriedScript,
  rules: Rule[] = allRules,
): Verdict {
  const declarations = readDeclarations(declared, trial.own)
  const allowed = ({ loss, unjudged }: Found): boolean =>
    (loss !== undefined && isDeclared(loss, declarations)) ||
    declarations.some((one) => one.does === "loses" && one.table === unjudged)
  // Where tables are missing nothing was tried, but what words alone tell is true.
  const seen = unknown.length === 0 || trial.blocked === undefined
  const named = rules
    .filter(({ ofWords }) => seen || ofWords === true)
    .flatMap((rule) => rule.find(trial).map((one) => Object.assign(one, { rule: rule.name })))
  const alone = unseen.map((one) => Object.assign(one, { rule: "not-judged" }))
  const found: Ruled[] = [...named, ...alone]
  for (const one of found.filter(allowed)) {
    one.level = "warning"
    one.rewrite = "It is declared."
  }
  for (const one of found) {
    if (one.loss === undefined || one.level === "warning") continue
    one.rewrite = adviceOnAdded(one.loss, trial.before, earlier) + one.rewrite
  }
  const claimed = new Set(
    found.flatMap(({ level, step }) => (level === "error" ? step.number : [])),
  )
  const failures = seen ? findFailure(trial) : []
  const all = [
    ...found,
    ...failures.flatMap((one) => (claimed.has(one.step.number) ? [] : [{ ...one, rule: "fails" }])),
  ]
  const acceptances = readAcceptances(declared, trial.steps, trial.own)
  const idle = acceptances.filter((acceptance) => !isAccepting(acceptance, all))
  const findings = [...all.map((one) => toFinding(sql, one)), ...idle.map(toIdle)]
  return {
    outcome: outcomeOf(all, unknown, trial),
    findings: findings.toSorted((one, other) => one.line - other.line || one.column - other.column),
    unknown,
  }
}

/** Makes what it accepts a warning. What a file loses is declared instead, which `apply` reads, too. */
function isAccepting({ rule, reason, statement }: Acceptance, found: Ruled[]): boolean {
  const accepted = found.filter(
    (one) => one.rule === rule && one.step.number === statement && one.loss === undefined,
  )
  for (const one of accepted) {
    one.level = "warning"
    one.rewrite = `Accepted: ${reason}`
  }
  return accepted.length > 0
}

function toIdle({ line, rule }: Acceptance): Finding {
  const message = `nothing of ${rule} can be accepted here`
  const rewrite =
    "Remove the comment, or put it above the statement, in notes with its line (`RULE, line 3: …`); what is lost is declared, and not accepted."
  return { rule: "accept", level: "warning", statement: 1, line, column: 1, message, rewrite }
}

type Ruled = Found & { rule: string }

function outcomeOf(found: Ruled[], unknown: string[], trial: Trial): Outcome {
  const errors = found.filter(({ level }) => level === "error")
  if (errors.some(({ loss }) => loss !== undefined)) return "loses"
  if (errors.some(({ rule }) => rule !== "not-judged")) return "fails"
  // What is accepted of a file that could not be tried is no proof that it keeps anything.
  const isUntried = trial.blocked !== undefined || found.some(({ rule }) => rule === "not-judged")
  if (errors.length > 0 || unknown.length > 0 || isUntried) return "not judged"
  const classes = found.flatMap(({ loss }) => (loss === undefined ? [] : [classOf(loss)]))
  if (classes.some((one) => one !== "tidies")) return "declared"
  if (isDoubtful(trial)) return "tried"
  return classes.length > 0 ? "tidies" : "keeps"
}

function toFinding(script: string, found: Ruled): Finding {
  const { rule, level, step, at = 0, message, rewrite } = found
  const { line, column } = placeAt(script, step.start + at)
  return { rule, level, statement: step.number, line, column, message, rewrite }
}

/** The first statement that fails whatever the rows are: D1 gets no further. */
function findFailure({ steps, onNothing, blocked }: Trial): Found[] {
  const at = onNothing.findIndex(({ failure }) => failure !== undefined)
  const step = steps[at]
  const failure = onNothing[at]?.failure
  if (step === undefined || failure === undefined || failure === ofReferences) return []
  const always = blocked !== undefined
  const message = always
    ? `the file fails here: ${failure}`
    : `fails on an empty database, which previews and tests have: ${failure}`
  const rewrite = failure.startsWith("no such table")
    ? "Correct the statement, or give what the database is like before the files with --schema."
    : "Correct the statement; nothing of the file takes effect before that."
  return [{ step, level: always ? "error" : "warning", message, rewrite }]
}

/** Whether it would lose or change something undeclared, fail, or could not be judged. */
export function isRefused({ findings }: Verdict): boolean {
  return findings.some(({ level }) => level === "error")
}

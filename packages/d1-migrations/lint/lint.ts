import type { Step } from "../analysis/analysis.ts"
import { analyzeFile } from "../analysis/analyze-file.ts"
import { parseScript, placeAt } from "../analysis/parsed-script.ts"
import { ofReferences } from "../analysis/run.ts"
import { failureOf } from "../failure.ts"
import { readDeclarations } from "../files/declarations.ts"
import { statementLimit } from "../files/migration-files.ts"
import { type Names, usualNames } from "../names.ts"
import { quoteName, type Table } from "../schema/schema.ts"
import type { ScratchDatabase } from "../schema/scratch-database.ts"
import { commentsOf } from "../sql/statements.ts"
import { isDeclared } from "./declared.ts"
import { type EarlierFile, schemaAfter } from "./earlier-schema.ts"
import type { RuleFinding, Judged, Level, Rule } from "./loss.ts"
import { lossesOf } from "./losses.ts"
import { rules as allRules } from "./rules.ts"
import { findPerhaps, findUnseen } from "./unseen-tables.ts"

export type Finding = {
  /** The name of a rule; "fails" for what SQLite or D1 reject for any rows. */
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
 * `keeps` only adds; what is `compared` takes nothing by its words, and the request compares each row; `declared` loses or changes what it declares.
 */
type Outcome = "keeps" | "compared" | "declared" | "not judged" | "loses" | "fails"

export type Verdict = {
  outcome: Outcome
  findings: Finding[]
  /** What is missing to judge the file: tables of other files, or an earlier statement that does not run here. */
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

/** A migration on the schema before it, for any rules to judge. */
type ReadScript = Pick<Script, "sql" | "declared"> & {
  judged: Judged
  unknown: string[]
  /** Whether it names tables that are not known here. */
  isBlind: boolean
}

/** What a migration would lose, change or fail at, without its database. @throws Error on an open quote */
export function lintScript(script: Script, schemaOf = schemaAfter): Verdict {
  return judgeScript(readScript(script, schemaOf))
}

/** @throws Error on an open quote */
export function readScript(
  { sql, declared, earlier, names = usualNames }: Script,
  schemaOf = schemaAfter,
): ReadScript {
  const { database, problem } = schemaOf(earlier ?? [])
  using before = database
  const analysis = analyzeFile(before, parseScript(sql), names)
  const texts = (earlier ?? []).flatMap((earlierFile) =>
    typeof earlierFile === "string" ? [] : earlierFile,
  )
  const losses = lossesOf(analysis, { earlier: texts, isSeeded: seededIn(before) })
  const isKnown = earlier !== undefined && problem === undefined
  const unseen = isKnown
    ? { found: earlier.length === 0 ? findPerhaps(analysis) : [], names: [] }
    : findUnseen(analysis, problem)
  const unknown = problem === undefined ? unseen.names : [problem]
  const isBlind = unseen.names.length > 0
  return { sql, declared, judged: { analysis, losses, unseen: unseen.found }, unknown, isBlind }
}

/** Whether a condition finds rows that earlier files have written. */
export function seededIn(database: ScratchDatabase) {
  return ({ name }: Table, condition: string): boolean => {
    let count = 0
    failureOf(() => {
      const [row] = database.rows(`SELECT count(*) AS n FROM ${quoteName(name)} WHERE ${condition}`)
      count = Number(row?.["n"])
    })
    return count > 0
  }
}

export function judgeScript(
  { sql, declared = sql, judged, unknown, isBlind }: ReadScript,
  rules: Rule[] = allRules,
): Verdict {
  const { analysis } = judged
  const declarations = readDeclarations(declared, analysis.own)
  const allowed = ({ loss, unjudged }: RuleFinding): boolean =>
    (loss !== undefined && isDeclared(loss, declarations)) ||
    declarations.some(
      (declaration) => declaration.does === "loses" && declaration.table === unjudged,
    )
  const everyFinding: Ruled[] = rules.flatMap((rule) =>
    rule.find(judged).map((finding) => Object.assign(finding, { rule: rule.name })),
  )
  for (const finding of everyFinding.filter(allowed)) {
    finding.level = "warning"
    finding.rewrite = "It is declared."
  }
  const claimed = new Set(
    everyFinding.flatMap(({ level, step }) => (level === "error" ? step.number : [])),
  )
  for (const failing of findFailure(judged)) {
    const isOfOthers = isBlind && /^no such|^there is no|^error in/.test(failing.step.failure ?? "")
    if (claimed.has(failing.step.number) || isOfOthers) continue
    everyFinding.push({ ...failing, rule: "fails" })
  }
  const acceptances = readAcceptances(declared, analysis.steps, analysis.own)
  const idle = acceptances.filter((acceptance) => !isAccepting(acceptance, everyFinding))
  const findings = [...everyFinding.map((finding) => toFinding(sql, finding)), ...idle.map(toIdle)]
  return {
    outcome: outcomeOf(everyFinding, judged, isBlind),
    findings: findings.toSorted((a, b) => a.line - b.line || a.column - b.column),
    unknown,
  }
}

/**
 * What an author accepts of lint, in a comment above a statement or in it: `-- d1:accept RULE: REASON`.
 * In notes beside an applied file it says the line: `-- d1:accept RULE, line 3: REASON`.
 */
type Acceptance = {
  line: number
  rule: string
  reason: string
  /** Number of the statement; undefined below the last one. */
  statement: number | undefined
}

/** @param sql the file, and its notes below. @throws Error naming the line of a comment that is nearly one */
function readAcceptances(
  sql: string,
  steps: Step[],
  { declarations: prefix }: Names,
): Acceptance[] {
  const begin = `-- ${prefix}:accept `
  return commentsOf(sql)
    .filter(({ text }) => text.startsWith(begin))
    .map(({ line, text }) => {
      const [, rule = "", lineText, reason = ""] =
        /^([a-z0-9-]+)(?:, line (\d{1,6}))?: (.{10,})$/.exec(text.slice(begin.length).trimEnd()) ??
        []
      if (rule === "") {
        throw new Error(`line ${line}: "${text}" accepts nothing. Write: ${begin}RULE: REASON`)
      }
      const meant = lineText === undefined ? line : Number(lineText)
      const at = steps.findIndex((step) => step.line + step.sql.split("\n").length > meant)
      return { line: meant, rule, reason, statement: at < 0 ? undefined : at + 1 }
    })
}

/** Makes what it accepts a warning. What a file loses is declared instead, which `apply` reads, too. */
function isAccepting({ rule, reason, statement }: Acceptance, candidates: Ruled[]): boolean {
  const accepted = candidates.filter(
    (candidate) =>
      candidate.rule === rule &&
      candidate.step.number === statement &&
      (candidate.loss === undefined ||
        (candidate.loss.lines.length === 0 && candidate.loss.kind !== "part")),
  )
  for (const finding of accepted) {
    finding.level = "warning"
    finding.rewrite = `Accepted: ${reason}`
  }
  return accepted.length > 0
}

function toIdle({ line, rule }: Acceptance): Finding {
  const message = `nothing of ${rule} can be accepted here`
  const rewrite =
    "Remove the comment, or put it above the statement, in notes with its line (`RULE, line 3: …`); what is lost is declared, and not accepted."
  return { rule: "accept", level: "warning", statement: 1, line, column: 1, message, rewrite }
}

type Ruled = RuleFinding & { rule: string }

function outcomeOf(findings: Ruled[], { analysis }: Judged, isBlind: boolean): Outcome {
  const errors = findings.filter(({ level }) => level === "error")
  if (errors.some(({ loss }) => loss !== undefined)) return "loses"
  if (errors.some(({ rule }) => rule !== "not-judged")) return "fails"
  // What is accepted of a file that could not be judged is no proof that it keeps anything.
  if (isBlind || findings.some(({ rule }) => rule === "not-judged")) return "not judged"
  if (findings.some(({ loss }) => loss !== undefined && loss.isSeeded !== true)) return "declared"
  const { taken, repeated } = analysis.reach
  const isSetBack = analysis.steps.some(({ effect }) => effect?.writesSequences)
  return taken.length + repeated.length === 0 && !isSetBack ? "keeps" : "compared"
}

function toFinding(script: string, finding: Ruled): Finding {
  const { rule, level, step, at = 0, message, rewrite } = finding
  const { line, column } = placeAt(script, step.start + at)
  return { rule, level, statement: step.number, line, column, message, rewrite }
}

/** The first statement that fails whatever the rows are, as beyond a limit: D1 gets no further. */
function findFailure({ analysis: { steps } }: Judged): RuleFinding[] {
  const long = steps.find(({ bytes }) => bytes > statementLimit)
  if (long !== undefined) {
    const message = `the statement has ${long.bytes} bytes, and D1 takes ${statementLimit}`
    return [{ step: long, level: "error", message, rewrite: "Insert fewer rows at a time." }]
  }
  const step = steps.find(({ failure }) => failure !== undefined && failure !== ofReferences)
  if (step?.failure === undefined) return []
  const message = `the file fails here, also on an empty database: ${step.failure}`
  const rewrite = step.failure.startsWith("no such table")
    ? "Correct the statement, or give what the database is like before the files with --schema."
    : "Correct the statement; nothing of the file takes effect before that."
  return [{ step, level: "error", message, rewrite }]
}

/** Whether it would lose or change something undeclared, fail, or could not be judged. */
export function isRefused({ findings }: Verdict): boolean {
  return findings.some(({ level }) => level === "error")
}

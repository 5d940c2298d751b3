import type { Analysis } from "../analysis/analysis.ts"
import { analyzeFile } from "../analysis/analyze-file.ts"
import { parseScript, placeAt, tableIn } from "../analysis/parsed-script.ts"
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
import type { Loss } from "./loss.ts"
import { lossesOf } from "./losses.ts"
import { findInStatements, findUnseen, type Level, type RuleFinding } from "./statement-rules.ts"

export type Finding = {
  rule: RuleFinding["rule"]
  level: Level
  /** Number of the statement, from 1. */
  statement: number
  /** Line number, from 1. */
  line: number
  column: number
  message: string
  rewrite: string
}

/**
 * `keeps` only adds. `compared` seems to lose nothing, and `apply` compares each row. `declared` declares its losses.
 */
type Outcome = "keeps" | "compared" | "declared" | "not judged" | "loses" | "fails"

export type Verdict = {
  outcome: Outcome
  findings: Finding[]
  /** Missing facts to judge the file: unknown tables, or the earlier statement that failed here. */
  unknown: string[]
}

type Script = {
  sql: string
  /** The SQL with the declarations from the notes beside it; defaults to `sql`. */
  declared?: string | undefined
  /** The earlier migrations, oldest first; undefined if unknown. */
  earlier: EarlierFile[] | undefined
  names?: Names
}

/** Finds losses, changes and failures of a migration without its database. @throws Error for an unclosed quote */
export function lintScript(
  { sql, declared = sql, earlier, names = usualNames }: Script,
  schemaOf = schemaAfter,
): Verdict {
  const { database, problem } = schemaOf(earlier ?? [])
  using before = database
  const analysis = analyzeFile(before, parseScript(sql), names)
  const losses = lossesOf(analysis, seededIn(before))
  const declarations = readDeclarations(declared, names)
  const isKnown = earlier !== undefined && problem === undefined
  const unseen =
    isKnown && earlier.length > 0
      ? { findings: [], names: [] }
      : findUnseen(analysis, isKnown, problem)
  const isBlind = unseen.names.length > 0
  const findings = [
    ...losses.flatMap((loss) => findLoss(analysis, loss, isDeclared(loss, declarations))),
    ...unseen.findings,
    ...findInStatements(analysis),
  ]
  findings.push(...findFailure(analysis, findings, isBlind))
  const idle = accept(findings, declared, names)
  return {
    outcome: outcomeOf(findings, analysis, isBlind),
    findings: [...findings.map((finding) => toFinding(sql, finding)), ...idle].toSorted(
      (a, b) => a.line - b.line || a.column - b.column,
    ),
    unknown: problem === undefined ? unseen.names : [problem],
  }
}

/** Creates a function that returns whether a condition selects rows which earlier files inserted. */
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

const ruleOf = {
  row: "lost-rows",
  repeat: "lost-rows",
  value: "lost-values",
  link: "lost-values",
  change: "changed-values",
  part: "lost-parts",
} as const

function findLoss({ steps, own }: Analysis, loss: Loss, declared: boolean): RuleFinding[] {
  const step = steps[loss.statement - 1]
  if (step === undefined) return []
  const { message, isSeeded = false, byReference = false, kind } = loss
  const rule = byReference ? "cascade-parent" : ruleOf[kind]
  const level = isSeeded || declared ? "warning" : "error"
  const rewrite = declared ? "It is declared." : rewriteOf(loss, own.declarations)
  return [{ rule, step, at: step.node && tableIn(step.node), level, message, rewrite, loss }]
}

/** Advises how to avoid a loss, and how to declare it if it is intended. */
export function rewriteOf(
  { instead, lines, isSeeded, kind, isCertain }: Loss,
  begin: string,
): string {
  const [line] = lines
  if (line === undefined) return instead
  const declarations = lines.map((text) => `-- ${begin}:${text}: REASON`).join(" and ")
  if (isSeeded === true && kind !== "part") {
    return `Nothing has to be done where the rows are still as an earlier file wrote them. Else: ${declarations}`
  }
  const zero = line.endsWith("at most N rows") ? " (0 where no database has such rows)" : ""
  const look =
    isCertain || kind === "part"
      ? ""
      : " `apply` compares every row, and needs the line only if one is touched."
  return `${instead} If it is intended, declare it: ${declarations}${zero}.${look}`
}

/**
 * Turns findings into warnings that the author accepts with `-- d1:accept RULE: REASON`, in the file or the notes
 * beside it. Losses cannot be accepted: they are declared instead, which `apply` reads too.
 * @returns a finding for each comment that accepts nothing. @throws Error with the line of a malformed comment
 */
function accept(findings: RuleFinding[], sql: string, { declarations }: Names): Finding[] {
  const begin = `-- ${declarations}:accept `
  const comments = commentsOf(sql).filter(({ text }) => text.startsWith(begin))
  return comments.flatMap(({ line, text }): Finding[] => {
    const [, rule, reason = ""] =
      /^([a-z0-9-]+)(?:, line \d+)?: (.{10,})$/.exec(text.slice(begin.length).trimEnd()) ?? []
    if (rule === undefined) {
      throw new Error(`line ${line}: "${text}" accepts nothing. Write: ${begin}RULE: REASON`)
    }
    const accepted = findings.filter(
      ({ rule: ruleName, loss }) =>
        ruleName === rule && (loss === undefined || (loss.lines.length === 0 && !loss.part)),
    )
    for (const finding of accepted) {
      finding.level = "warning"
      finding.rewrite = `Accepted: ${reason}`
    }
    if (accepted.length > 0) return []
    const message = `nothing of ${rule} can be accepted here`
    const rewrite = "Remove the comment; what is lost is declared, and not accepted."
    return [{ rule: "accept", level: "warning", statement: 1, line, column: 1, message, rewrite }]
  })
}

function outcomeOf(findings: RuleFinding[], { reach, steps }: Analysis, isBlind: boolean): Outcome {
  const errors = findings.filter(({ level }) => level === "error")
  if (errors.some(({ loss }) => loss !== undefined)) return "loses"
  if (errors.some(({ rule }) => rule !== "not-judged")) return "fails"
  // Accepting `not-judged` does not prove that the file keeps all rows.
  if (isBlind || findings.some(({ rule }) => rule === "not-judged")) return "not judged"
  if (findings.some(({ loss }) => loss !== undefined && loss.isSeeded !== true)) return "declared"
  const isSetBack = steps.some(({ effect }) => effect?.writesSequences)
  return reach.taken.length + reach.repeated.length === 0 && !isSetBack ? "keeps" : "compared"
}

function toFinding(script: string, finding: RuleFinding): Finding {
  const { rule, level, step, at, message, rewrite } = finding
  const { line, column } = placeAt(script, step.start + (at?.span.offset ?? 0))
  return { rule, level, statement: step.number, line, column, message, rewrite }
}

/** Reports the first statement that fails with any rows or exceeds a limit, unless a rule has already reported it. */
function findFailure(
  { steps }: Analysis,
  findings: RuleFinding[],
  isBlind: boolean,
): RuleFinding[] {
  const long = steps.find(({ bytes }) => bytes > statementLimit)
  const failing = steps.find(({ failure }) => failure !== undefined && failure !== ofReferences)
  const step = long ?? failing
  const { failure = "" } = failing ?? {}
  const isOfOthers = isBlind && /^no such|^there is no|^error in/.test(step?.failure ?? "")
  const isSaid = findings.some((finding) => finding.level === "error" && finding.step === step)
  if (step === undefined || isOfOthers || isSaid) return []
  const [message, rewrite] =
    step === long
      ? [
          `the statement has ${step.bytes} bytes, and D1 takes ${statementLimit}`,
          "Insert fewer rows at a time.",
        ]
      : [
          `the file fails here, also on an empty database: ${failure}`,
          failure.startsWith("no such table")
            ? "Correct the statement, or give what the database is like before the files with --schema."
            : "Correct the statement; nothing of the file takes effect before that.",
        ]
  return [{ rule: "fails", step, level: "error", message, rewrite }]
}

/** Returns whether the verdict has an error: an undeclared loss or change, a failure, or an unjudged statement. */
export function isRefused({ findings }: Verdict): boolean {
  return findings.some(({ level }) => level === "error")
}

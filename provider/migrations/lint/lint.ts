import { messageOf } from "../../../failure.ts"
import { readDeclarations, subjectOf } from "../declarations.ts"
import { openScratchDatabase, type ScratchDatabase } from "../rehearsal/scratch-database.ts"
import { splitStatements } from "../statements.ts"
import { placeAt } from "./parsed-script.ts"
import type { Found, Level, Rule } from "./rule.ts"
import { rules as allRules } from "./rules.ts"
import { type Trial, tryFile } from "./trial.ts"
import { addUnknownTables } from "./unknown-tables.ts"

type Finding = {
  /** Of a rule; "fails" for what SQLite or D1 refuse whatever the rows are. */
  rule: string
  level: Level
  /** From 1. */
  line: number
  column: number
  message: string
  rewrite: string
}

export type Verdict = {
  findings: Finding[]
  /** Tables that only files that are not here know; what refers to them is unknown, too. */
  unknown: string[]
}

export type Script = {
  sql: string
  /** The migrations before it, oldest first; undefined when they are not known. */
  earlier: string[] | undefined
}

/** What a migration does on the schema before it, for any rules to judge. */
type TriedScript = Pick<Script, "sql"> & { trial: Trial; unknown: string[] }

/** What a migration would lose or fail at, without its database. @throws Error on an open quote */
export function lintScript(script: Script): Verdict {
  return judgeScript(tryScript(script))
}

/** @throws Error on an open quote */
export function tryScript({ sql, earlier }: Script): TriedScript {
  using database = (earlier && schemaAfter(earlier, sql)) ?? openScratchDatabase()
  const unknown = addUnknownTables(database, sql)
  return { sql, unknown, trial: tryFile(database, sql) }
}

export function judgeScript(
  { sql, trial, unknown }: TriedScript,
  rules: Rule[] = allRules,
): Verdict {
  const byRule = rules.map((rule) => ({ name: rule.name, found: rule.find(trial) }))
  const found = byRule.flatMap((rule) => rule.found.map((one) => toFinding(sql, rule.name, one)))
  const errors = byRule.flatMap((rule) => rule.found).filter(({ level }) => level === "error")
  const claimed = new Set(errors.map(({ step }) => step.number))
  const failures = findFailure(trial, unknown.length > 0)
    .filter(({ step }) => !claimed.has(step.number))
    .map((one) => toFinding(sql, "fails", one))
  const findings = [...found, ...failures]
  const byPlace = (one: Finding, other: Finding) =>
    one.line - other.line || one.column - other.column
  return { findings: findings.toSorted(byPlace), unknown }
}

function toFinding(script: string, rule: string, found: Found): Finding {
  const { step, at = 0, message, rewrite, unless } = found
  const declared = unless !== undefined && isDeclared(script, unless)
  const level = declared ? "warning" : found.level
  const { line, column } = placeAt(script, step.start + at)
  return { rule, level, line, column, message, rewrite }
}

function isDeclared(script: string, subject: string): boolean {
  return readDeclarations(script).some((one) => subjectOf(one) === subject.toLowerCase())
}

/** Undefined unless all files apply, one after the other: else they do not belong together. */
function schemaAfter(earlier: string[], script: string): ScratchDatabase | undefined {
  const database = openScratchDatabase()
  const applied = earlier.every((sql) => failureOf(database, sql) === undefined)
  if (applied && !repeats(database, script)) return database
  database[Symbol.dispose]()
  return undefined
}

/** Whether a file makes what is there, and could start a database: then it is one of another. */
function repeats(database: ScratchDatabase, script: string): boolean {
  using after = database.copy()
  using fresh = openScratchDatabase()
  const repeated = / already exists/.test(failureOf(after, script) ?? "")
  return repeated && failureOf(fresh, script) === undefined
}

/** Runs a file on the schema. What D1 refuses cannot have been part of what was applied. */
function failureOf(database: ScratchDatabase, script: string): string | undefined {
  // Rows that a file adds may refer to some that are not here.
  database.exec("PRAGMA foreign_keys = OFF; BEGIN")
  try {
    for (const { sql } of splitStatements(script)) {
      const reason = reasonOf(database, sql)
      if (reason !== undefined && !/not authorized/.test(reason)) return reason
    }
    return undefined
  } finally {
    database.exec("COMMIT; PRAGMA foreign_keys = ON")
  }
}

function reasonOf(database: ScratchDatabase, sql: string): string | undefined {
  try {
    database.prepare(sql).run()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Needs rows that are not here, so failing here says nothing. */
const ofReferences = "FOREIGN KEY constraint failed"

/** The first statement that fails whatever the rows are: D1 gets no further. */
function findFailure({ steps }: Trial, guessed: boolean): Found[] {
  const step = steps.find(({ failure }) => failure !== undefined && failure !== ofReferences)
  if (step?.failure === undefined) return []
  // On tables that are guessed only grammar and refusals are certain.
  const certain = step.problem !== undefined || /not authorized|syntax error/.test(step.failure)
  if (guessed && !certain) return []
  const message = `the file fails here: ${step.failure}`
  const rewrite = "Correct the statement; nothing of the file takes effect before that."
  return [{ step, level: "error", message, rewrite }]
}

/** Whether it would lose rows, or fail. */
export function isRefused({ findings }: Verdict): boolean {
  return findings.some(({ level }) => level === "error")
}

import { afterAll, expect, test } from "vitest"
import * as z from "zod"

import { isFailure, messageOf } from "../failure.ts"
import { parseMigration } from "../files/migration-files.ts"
import { guardMessage } from "../guard/refusal-statement.ts"
import { lintScript } from "../lint/lint.ts"
import { readCases } from "../lint/testing/cases.ts"
import { quoteName, readSchema } from "../schema/schema.ts"
import { scratchDatabaseOf } from "../schema/scratch-database.ts"
import { startLocalD1 } from "../testing/local-d1.ts"
import { applyMigrations } from "./apply.ts"
import { type Attempt, lintAttempts, ownAttempts } from "./testing/attempts.ts"

const account = await startLocalD1()
afterAll(() => account[Symbol.asyncDispose]())

const log = { info: () => undefined, warn: () => undefined }
const Value = z.object({ value: z.string() })

/** The values of all tables, whatever column holds them. */
async function valuesOf(databaseId: string): Promise<string[]> {
  const database = account.open(databaseId)
  using scratch = scratchDatabaseOf(await database.objects())
  const columns = readSchema(scratch)
    .filter(({ name }) => !name.startsWith("d1_migrations"))
    .flatMap((table) => table.columns.map(({ name }) => [quoteName(name), quoteName(table.name)]))
  const queries = columns.map(([column, table]) => `SELECT quote(${column}) AS value FROM ${table}`)
  const rows = (await account.queryAll(databaseId, queries.join(";\n"))).flat()
  return rows.map((row) => Value.parse(row).value)
}

type Tried = Attempt & {
  lint: string
  up: string
  before: string[]
  after: string[]
  missing: string[]
}

/** Runs an attempt with `up`, and lists the values that no cell has afterwards, not even within JSON. */
async function tryOnD1(attempt: Attempt, number: number): Promise<Tried> {
  const databaseId = await account.createDatabase(`attempt-${number}`)
  const { schema, rows } = attempt
  await account.query(databaseId, `${schema}\n${rows}`)
  const before = await valuesOf(databaseId)
  const database = account.open(databaseId)
  const files = attempt.files.map((sql, index) =>
    parseMigration(`000${index}_change.sql`, Buffer.from(sql)),
  )
  const up = await applyMigrations({ database, files, log }).then(() => "applied", outcomeOf)
  const after = await valuesOf(databaseId)
  const [now, contentAfter] = [after.join("\n"), new Set(after)]
  const missing = [...new Set(before)].filter(
    (value) => !contentAfter.has(value) && !now.includes(value.replaceAll(/^'|'$/g, "")),
  )
  const lint = attempt.files.map((sql, index) => {
    return lintScript({ sql, earlier: [schema, ...attempt.files.slice(0, index)] }).outcome
  })
  return { ...attempt, lint: lint.join(", "), up, before, after, missing }
}

function outcomeOf(error: unknown): string {
  if (isFailure(error, "MIGRATION_REFUSED")) return "refused"
  const isGuarded = isFailure(error, "MIGRATION_FAILED") && /row guard/.test(messageOf(error))
  return isGuarded ? "guarded" : `fails: ${guardMessage(messageOf(error)) ?? messageOf(error)}`
}

async function tryAll(attempts: Attempt[], from: number): Promise<Tried[]> {
  const [now, later] = [attempts.slice(0, 4), attempts.slice(4)]
  if (now.length === 0) return []
  const outcomes = await Promise.all(now.map((attempt, index) => tryOnD1(attempt, from + index)))
  return [...outcomes, ...(await tryAll(later, from + 4))]
}

const ofLint = await tryAll(lintAttempts, 0)
const ofPackage = await tryAll(ownAttempts, lintAttempts.length)

/** Harmless, but refused without a declaration: no value is looked for within JSON. */
const toDeclare = new Set(["json-move"])

function print(outcomes: Tried[]): void {
  const lines = outcomes.map(
    ({ name, harm, lint, up, missing }) =>
      `${harm ? "harm" : "    "} ${name.padEnd(40)} lint ${lint.padEnd(11)} up ${up.padEnd(9)} ${missing.length} values missing`,
  )
  process.stdout.write(`${lines.join("\n")}\n`)
}

function surprising(outcomes: Tried[], expected: (outcome: Tried) => string[]): string[] {
  return outcomes
    .filter((outcome) => !expected(outcome).includes(outcome.up))
    .map(({ name, up }) => `${name}: ${up}`)
}

test("on a D1 with rows up refuses what is recorded of each case, and applies the others", () => {
  print(ofLint)
  const recorded = new Map(readCases().map(({ name, up }) => [name, up]))
  const surprises = surprising(ofLint, ({ name, harm }) => {
    if (recorded.get(name) === "refuses") return ["refused"]
    return harm ? ["applied", "guarded"] : ["applied"]
  })
  expect(surprises).toEqual([])
})

test("other forms of the same are refused before or in their request: triggers, upserts, cascades", () => {
  print(ofPackage)
  const surprises = surprising(ofPackage, ({ name, harm }) =>
    harm || toDeclare.has(name) ? ["refused", "guarded"] : ["applied"],
  )
  expect(surprises).toEqual([])
})

test("what up refuses leaves every value, and so does what is said to keep them", () => {
  const refused = [...ofLint, ...ofPackage].filter(
    ({ up, files }) => up !== "applied" && files.length === 1,
  )
  expect(refused.map(({ name, after }) => [name, after])).toEqual(
    refused.map(({ name, before }) => [name, before]),
  )
  const keeping = ofPackage.filter(
    ({ up, lint }) => up === "applied" && /^keeps(?:, keeps)*$/.test(lint),
  )
  expect(keeping.map(({ name, missing }) => [name, missing])).toEqual(
    keeping.map(({ name }) => [name, []]),
  )
})

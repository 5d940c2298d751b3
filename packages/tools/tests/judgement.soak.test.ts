import { applyMigrations } from "@accounts-stack/d1-migrations"
import { openDatabase, sqliteD1 } from "@accounts-stack/d1-migrations/d1"
import { parseMigration } from "@accounts-stack/d1-migrations/files"
import { quoteName } from "@accounts-stack/d1-migrations/schema"
import {
  isRefused,
  lintScript,
  openScratchDatabase,
  readSchema,
  runFile,
  type ScratchDatabase,
} from "@accounts-stack/d1-migrations/testing/internals"
import { seededRandom } from "@accounts-stack/local/seeded-random"
import { afterAll, expect, test } from "vitest"

import { messageOf } from "../base/failure.ts"
import { openAccount } from "../deploy/testing/account.ts"
import { startLocalCloudflare } from "../deploy/testing/local-cloudflare.ts"
import { type RandomChange, randomChange } from "./testing/soak/random-change.ts"

const runs = process.env["SOAK_BUDGET"] === "full" ? 5000 : 150
const seed = Number(process.env["SOAK_SEED"] ?? 1)
/** Every so many are run on D1, too: SQLite in memory has to do the same. */
const onD1 = 25

const log = { info: () => undefined, warn: () => undefined }

const cloudflare = await startLocalCloudflare()
const account = openAccount(cloudflare)
afterAll(() => cloudflare[Symbol.asyncDispose]())

type Rows = Record<string, string>[]
type Content = { rows: Map<string, Rows>; rules: Map<string, string[]>; objects: string[] }

function contentOf(database: ScratchDatabase): Content {
  const schema = readSchema(database)
  const objects = database.rows(
    "SELECT type, name, lower(sql) AS sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'",
  )
  const rules = schema.map(({ name, columns, foreignKeys, uniques }): [string, string[]] => {
    const sql = String(
      objects.find((object) => object["type"] === "table" && object["name"] === name)?.["sql"],
    )
    // A unique index is looked up by its name.
    const isRule = (key: string[]) =>
      !objects.some(
        (object) =>
          object["type"] === "index" &&
          String(object["sql"]).endsWith(` on ${name} (${key.join(", ")})`),
      )
    return [
      name,
      [
        ...foreignKeys.map((key) => `${key.columns.join()} → ${key.parent} ${key.onDelete}`),
        ...columns.flatMap((column) => (column.hasDefault ? [`default of ${column.name}`] : [])),
        ...uniques.filter(isRule).map((key) => `unique ${key.toSorted().join()}`),
        ...Array.from(sql.matchAll(/check \(/g), (_, at) => `check ${at}`),
        ...Array.from(sql.matchAll(/collate nocase/g), (_, at) => `collation ${at}`),
      ],
    ]
  })
  const rows = schema.map(({ name, columns }): [string, Rows] => {
    const list = columns.map(
      (column) => `quote(${quoteName(column.name)}) AS ${quoteName(column.name)}`,
    )
    const rowsOfTable = database.rows(`SELECT ${list.join(", ")} FROM ${quoteName(name)}`)
    return [
      name,
      rowsOfTable.map((row) =>
        Object.fromEntries(Object.entries(row).map(([column, value]) => [column, String(value)])),
      ),
    ]
  })
  const otherObjects = objects
    .filter((object) => object["type"] !== "table")
    .map((object) => String(object["name"]))
  return { rows: new Map(rows), rules: new Map(rules), objects: otherObjects }
}

function openWith({ before, rows }: RandomChange): { database: ScratchDatabase; taken: string[] } {
  const database = openScratchDatabase()
  database.exec(before)
  const accepted = rows.filter((sql) => {
    try {
      database.exec(sql)
      return true
    } catch {
      return false
    }
  })
  return { database, taken: accepted }
}

/** In place of NULL, or the same number of another type. */
function isKept(before: string, is: string): boolean {
  if (before === "NULL") return true
  return Number.isSafeInteger(Number(before)) && /^-?\d/.test(is) && Number(before) === Number(is)
}

/** A value of a row, or of the one to which `link → table.column` leads. */
function valueIn({ rows }: Content, row: Rows[number], name: string): string | undefined {
  const [link = "", place] = name.split(" → ")
  const [table = "", column = ""] = place?.split(".") ?? []
  if (place === undefined) return row[link]
  const parentRow = rows.get(table)?.find(({ id }) => id === row[link])
  return parentRow === undefined ? "NULL" : parentRow[column]
}

/** Lists values, constraints and objects that are missing, by what the change was made to do and not by how lint sees it. */
function lossesOf({ sql, places, keys }: RandomChange, content: Content, is: Content): string[] {
  const values = [...content.rows].flatMap(([table, rows]) => {
    const targets = places.get(table) ?? [{ table, columns: new Map<string, string>() }]
    const key = keys.get(table) ?? Object.keys(rows[0] ?? {})
    const used = new Set<Rows[number]>()
    return rows.flatMap((row) => {
      const pair = targets.flatMap(({ table: target, columns }) => {
        const name = (column: string) => columns.get(column) ?? column
        const twin = is.rows
          .get(target)
          ?.find(
            (candidate) =>
              !used.has(candidate) &&
              key.every((column) => candidate[name(column)] === row[column]),
          )
        return twin === undefined ? [] : [{ twin, name }]
      })[0]
      if (pair === undefined) return [`a row of ${table}`]
      used.add(pair.twin)
      return Object.entries(row).flatMap(([column, value]) => {
        // A generated value may stay behind with its source.
        if (column === "g" && pair.twin[column] === undefined) return []
        const now = valueIn(is, pair.twin, pair.name(column))
        if (now === value || (column !== "g" && now !== undefined && isKept(value, now))) {
          return []
        }
        return column === "g" ? [] : [`${table}.${column}`]
      })
    })
  })
  const lostRows = [...content.rows].flatMap(([table, rows]) => {
    const count = (subset: Rows, text: string) =>
      subset.filter((row) => JSON.stringify(row) === text).length
    return rows
      .map((row) => JSON.stringify(row))
      .filter((text) => count(is.rows.get(table) ?? [], text) > count(rows, text))
      .map(() => `a row of ${table} again`)
  })
  const rules = [...content.rules].flatMap(([table, list]) => {
    const [place, otherPlace] = places.get(table) ?? []
    const now = is.rules.get(place?.table ?? table)
    // A missing constraint of a new column or table was not lost.
    if (
      place === undefined ||
      otherPlace !== undefined ||
      now === undefined ||
      createdBySteps.test(sql)
    ) {
      return []
    }
    return list.filter((rule) => !now.includes(renamed(rule, place.columns, places)))
  })
  // A DROP INDEX removes its index on purpose.
  const objects = content.objects.filter(
    (name) =>
      !sql.toUpperCase().includes(`DROP INDEX ${name.toUpperCase()}`) &&
      !is.objects.includes(name) &&
      is.rules.has(name.replace(/_\w+$/, "")),
  )
  return [...new Set([...values, ...lostRows, ...rules, ...objects])]
}

const createdBySteps = /_(?:moved|all) (?:\(|as)|add column fresh|_label/i

function renamed(
  rule: string,
  columns: Map<string, string>,
  places: RandomChange["places"],
): string {
  const [ownPart = "", parent = ""] = rule.split(" → ")
  const column = ownPart.replaceAll(/\w+/g, (word) => columns.get(word) ?? word)
  if (parent === "") return column
  return `${column} → ${parent.replace(/^\w+/, (name) => places.get(name)?.[0]?.table ?? name)}`
}

/** Whether D1 does to the rows what SQLite in memory did. */
async function isSameOnD1(
  change: RandomChange,
  accepted: string[],
  after: Content | undefined,
  name: string,
): Promise<boolean> {
  const databaseId = await account.createDatabase(name)
  await account.query(databaseId, [change.before, ...accepted.map((sql) => `${sql};`)].join("\n"))
  const failure = await account.query(databaseId, change.sql).then(() => undefined, messageOf)
  if (failure !== undefined || after === undefined) {
    return failure !== undefined && after === undefined
  }
  const sorted = (values: unknown[]) =>
    JSON.stringify(values.map((row) => JSON.stringify(row)).toSorted())
  const comparisons = [...after.rows].map(async ([table, rows]) => {
    const list = Object.keys(rows[0] ?? {}).map(
      (columnName) => `quote(${quoteName(columnName)}) AS ${quoteName(columnName)}`,
    )
    if (list.length === 0 || /random\(\)/.test(change.sql)) return true
    const sql = `SELECT ${list.join(", ")} FROM ${quoteName(table)}`
    return sorted(await account.query(databaseId, sql)) === sorted(rows)
  })
  return !(await Promise.all(comparisons)).includes(false)
}

/** Applies a change like `up` to a database that has these rows. */
async function apply({ before, sql }: RandomChange, accepted: string[]): Promise<string> {
  using d1 = sqliteD1()
  const database = openDatabase(d1)
  const files = [before, sql].map((text, index) =>
    parseMigration(`000${index + 1}_change.sql`, Buffer.from(text)),
  )
  await applyMigrations({ database, files: files.slice(0, 1), log })
  for (const row of accepted) await d1.change(row)
  return await applyMigrations({ database, files, log }).then(() => "applied", messageOf)
}

type Outcome = {
  number: number
  truth: "fails" | "keeps" | "loses"
  refused: boolean
  up: string
  mistake: string | undefined
  sql: string
  missed: object[]
}

async function run(number: number): Promise<Outcome> {
  const change = randomChange(seededRandom(seed * 100_000 + number))
  const { before, sql, mistake } = change
  const { database, taken } = openWith(change)
  using opened = database
  const content = contentOf(opened)
  const file = parseMigration("0001_change.sql", Buffer.from(sql))
  const { failed } = runFile(opened, file.statements)
  const is = failed === undefined ? contentOf(opened) : undefined
  const losses = is === undefined ? [] : lossesOf(change, content, is)
  const verdict = lintScript({ sql, earlier: [before] })
  const up = await apply(change, taken)
  const context = { seed, number, before, taken, sql, mistake, losses, verdict, up }
  const isSilent = verdict.outcome === "keeps"
  const missed = losses.length > 0 && (up === "applied" || isSilent)
  const differs = number % onD1 === 0 && !(await isSameOnD1(change, taken, is, `judged-${number}`))
  const truth = is === undefined ? "fails" : losses.length > 0 ? "loses" : "keeps"
  return {
    number,
    truth,
    refused: isRefused(verdict),
    up,
    mistake,
    sql,
    missed: missed || differs ? [{ ...context, differs }] : [],
  }
}

test(`of ${runs} generated migrations none takes anything undeclared, and few that are right are stopped`, async () => {
  const outcomes: Outcome[] = []
  for (let number = 0; number < runs; number += 1) outcomes.push(await run(number))
  const outcomesThat = (is: (outcome: Outcome) => boolean) => outcomes.filter(is)
  const right = outcomesThat(({ truth, mistake }) => truth === "keeps" && mistake === undefined)
  const stopped = right.filter(({ up }) => up !== "applied")
  const alarms = right.filter(({ refused }) => refused)
  const loses = outcomesThat(({ truth }) => truth === "loses")
  process.stdout.write(
    `${loses.length} lose something, ${loses.filter(({ refused }) => refused).length} of them refused by lint; ${right.length} are right, ${alarms.length} of them refused by lint and ${stopped.length} stopped; ${outcomesThat(({ truth }) => truth === "fails").length} fail on D1\n${[...new Set([...stopped, ...alarms])].map(({ number, sql, up }) => `${number}: ${sql} (${up})`).join("\n")}\n`,
  )
  expect(outcomes.flatMap(({ missed }) => missed)).toEqual([])
  expect(right.length).toBeGreaterThan(runs / 6)
  expect(loses.length).toBeGreaterThan(runs / 6)
  expect(stopped.length).toBeLessThanOrEqual(right.length / 100)
}, 3_600_000)

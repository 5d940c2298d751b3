import { expect, test } from "vitest"

import { openDatabase } from "../d1/database.ts"
import { sqliteD1 } from "../d1/sqlite.ts"
import { isFailure, messageOf } from "../failure.ts"
import { parseMigration } from "../files/migration-files.ts"
import { lintScript } from "../lint/lint.ts"
import { seededRandom } from "../testing/seeded-random.ts"
import { applyMigrations } from "./apply.ts"
import { type Content, everyCell } from "./testing/every-cell.ts"
import { type RandomFile, randomFile } from "./testing/random-file.ts"

const runs = process.env["SOAK_BUDGET"] === "full" ? 5000 : 300
const seed = Number(process.env["SOAK_SEED"] ?? 1)
const log = { info: () => undefined, warn: () => undefined }

/** The same value, a number that is equal, or any in place of NULL. */
function isKept(before: string, is: string | undefined): boolean {
  if (before === "NULL" || before === is) return true
  const whole = (text: string) => text.replace(/\.0$/, "")
  return is !== undefined && /^-?\d/.test(before) && whole(before) === whole(is)
}

/** The rows and values of people that are not where the generated file should leave them. */
function lossesOf({ moved, sql }: RandomFile, before: Content, after: Content, seeds: string[]) {
  const rowsOf = (table: string) => after.get(table) ?? []
  return [...before].flatMap(([table, rows]) =>
    rows.flatMap((row) => {
      const key = table === "docs" ? "title" : "id"
      const id = row.get(key) ?? ""
      if (table === "item" && seeds.includes(JSON.stringify([...row]))) return []
      const ownRows = rowsOf(table).filter((candidate) => candidate.get(key) === id)
      if (ownRows.length === 0) return [`${table} ${id} is missing`]
      // A file may add rows; only a join makes others of those that are there.
      const { length } = ownRows
      if (length > 1 && sql.includes(" JOIN ")) return [`${table} ${id}: ${length} rows`]
      const lost = ownRows.map((twin) =>
        [...row].flatMap(([column, value]) => {
          const movedRow = rowsOf("moved").find(
            (candidate) => candidate.get("id") === twin.get("id"),
          )
          const isMoved = table === "item" && moved.includes(column)
          const now = isMoved ? movedRow?.get(column) : twin.get(column)
          return isKept(value, now) ? [] : [`${table} ${id}.${column}`]
        }),
      )
      return lost.toSorted((a, b) => a.length - b.length)[0] ?? []
    }),
  )
}

type Outcome = { truth: "fails" | "keeps" | "loses"; up: string; lint: string; said: string }

async function run(number: number): Promise<Outcome & RandomFile & { number: number }> {
  const file = randomFile(seededRandom(seed * 100_000 + number))
  const { earlier, rows, sql } = file
  using plain = sqliteD1()
  await plain.change(earlier)
  const first = await everyCell(plain)
  const seeds = (first.get("item") ?? []).map((row) => JSON.stringify([...row]))
  await plain.change(rows)
  const before = await everyCell(plain)
  const failure = await plain.change(sql).then(() => undefined, messageOf)
  const losses = failure === undefined ? lossesOf(file, before, await everyCell(plain), seeds) : []
  using d1 = sqliteD1()
  const database = openDatabase(d1)
  const files = [earlier, sql].map((script, index) =>
    parseMigration(`000${index + 1}_file.sql`, Buffer.from(script)),
  )
  await applyMigrations({ database, files: files.slice(0, 1), log })
  await d1.change(rows)
  let message = ""
  const up = await applyMigrations({ database, files, log }).then(
    () => "applied",
    (error: unknown) => {
      message = messageOf(error)
      return isFailure(error, "MIGRATION_REFUSED") ? "refused" : "failed"
    },
  )
  const lint = lintScript({ sql, earlier: [earlier] }).outcome
  const truth = failure !== undefined ? "fails" : losses.length > 0 ? "loses" : "keeps"
  return { ...file, number, truth, up, lint, said: `${losses.join("; ")} | ${message}` }
}

test(`of ${runs} generated files none takes anything from real rows, and few that are right are stopped`, async () => {
  const outcomes: Awaited<ReturnType<typeof run>>[] = []
  for (let number = 0; number < runs; number += 1) outcomes.push(await run(number))
  const select = (is: (one: (typeof outcomes)[number]) => boolean) => outcomes.filter(is)
  const missed = select(({ truth, up }) => truth !== "keeps" && up === "applied")
  const falselyKept = select(({ truth, lint }) => truth === "loses" && lint === "keeps")
  const right = select(({ truth }) => truth === "keeps")
  // A refusal of a file that lint refuses is no false alarm: these rows were spared by luck.
  const alarms = right.filter(
    ({ up, lint }) => up === "failed" || (up === "refused" && !/loses|fails/.test(lint)),
  )
  const counts = Map.groupBy(outcomes, ({ truth, up }) => `${truth}, ${up}`)
  const lines = [...counts].map(([name, { length }]) => `${name}: ${length}`)
  process.stdout.write(
    `${lines.join("\n")}\n${alarms.map(({ number, sql, said: why }) => `${number}: ${sql} (${why})`).join("\n")}\n`,
  )
  expect(missed.map(({ number, sql, rows, said: why }) => ({ number, sql, rows, why }))).toEqual([])
  expect(falselyKept.map(({ number, sql, lint }) => ({ number, sql, lint }))).toEqual([])
  expect(right.length).toBeGreaterThan(runs / 5)
  expect(alarms.length).toBeLessThanOrEqual(right.length / 100)
}, 3_600_000)

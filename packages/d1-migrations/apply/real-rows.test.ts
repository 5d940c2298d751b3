import { join } from "node:path"

import { expect, test } from "vitest"

import { openDatabase } from "../d1/database.ts"
import { sqliteD1 } from "../d1/sqlite.ts"
import { isFailure } from "../failure.ts"
import { parseMigration } from "../files/migration-files.ts"
import { lintScript } from "../lint/lint.ts"
import { type Case, readCases } from "../lint/testing/cases.ts"
import { applyMigrations } from "./apply.ts"
import { type Content, differencesOf, everyCell } from "./testing/every-cell.ts"

const cases = readCases(join(import.meta.dirname, "testing/real-rows"))
const log = { info: () => undefined, warn: () => undefined }

type Applied = { up: "applied" | "refused" | "failed"; before: Content; after: Content }

/** What `up` does to a database that the earlier file has made and people have filled. */
async function applied({ before: schema, rows, change }: Case): Promise<Applied> {
  using d1 = sqliteD1()
  const database = openDatabase(d1)
  const [first, second] = [schema, change].map((sql, index) =>
    parseMigration(`000${index + 1}_file.sql`, Buffer.from(sql)),
  )
  const files = [first, second].flatMap((one) => one ?? [])
  await applyMigrations({ database, files: files.slice(0, 1), log })
  await d1.change(rows)
  const before = await everyCell(d1)
  const up = await applyMigrations({ database, files, log }).then(
    () => "applied" as const,
    (error: unknown) => {
      if (isFailure(error, "MIGRATION_REFUSED")) return "refused" as const
      if (isFailure(error, "MIGRATION_FAILED")) return "failed" as const
      throw error
    },
  )
  return { up, before, after: await everyCell(d1) }
}

/** The same as wrangler sends it, without any judgement. */
async function plain({ before: schema, rows, change }: Case) {
  using d1 = sqliteD1()
  await d1.change(schema)
  await d1.change(rows)
  const before = await everyCell(d1)
  await d1.change(change)
  return differencesOf(before, await everyCell(d1))
}

/** What its words lose is found by no comparison of cells: the index of a table without content, and rowids. */
const withoutCells = new Set([
  "numbers-kept-in-a-plain-column",
  "rowids-kept-elsewhere",
  "rowids-of-full-text-content",
])

test.each(cases.filter(({ harm }) => harm === "yes"))(
  "$name: takes something from real rows, and is stopped with nothing done",
  async (one) => {
    const { up, before, after } = await applied(one)
    expect(up).not.toBe("applied")
    expect(differencesOf(before, after)).toEqual([])
    if (withoutCells.has(one.name)) return
    expect(await plain(one)).not.toEqual([])
  },
)

test.each(cases.filter(({ harm }) => harm === "no"))("$name: is applied", async (one) => {
  expect((await applied(one)).up).toBe("applied")
})

test("lint never says that a file keeps every value which takes some from real rows", () => {
  const said = cases.map(({ name, harm, lint, before, change }) => {
    const { outcome } = lintScript({ sql: change, earlier: [before] })
    return { name, harm, lint, outcome }
  })
  expect(said.map(({ name, outcome }) => [name, outcome])).toEqual(
    said.map(({ name, lint }) => [name, lint]),
  )
  const wrong = said.filter(({ harm, outcome }) => harm === "yes" && /keeps|tidies/.test(outcome))
  expect(wrong.map(({ name }) => name)).toEqual([])
})

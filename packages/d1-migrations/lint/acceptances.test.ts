import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, expect, test } from "vitest"

import { lintFiles, listFiles } from "./lint-files.ts"

const folder = mkdtempSync(join(tmpdir(), "accepted-"))
afterAll(() => rmSync(folder, { recursive: true }))

const applied = `CREATE INDEX price_id ON price (id);
ALTER TABLE price
  ADD COLUMN mood TEXT NOT NULL;`

/** What lint says of an applied file with notes beside it. */
function lintWithNotes(notes: string) {
  const directory = mkdtempSync(join(folder, "some-"))
  writeFileSync(
    join(directory, "0000_price.sql"),
    "CREATE TABLE price (id TEXT PRIMARY KEY, cents INTEGER);",
  )
  writeFileSync(join(directory, "0001_mood.sql"), applied)
  writeFileSync(join(directory, "0001_mood.md"), `# Why\n\n${notes}\n`)
  const { findings = [], refused } = lintFiles(listFiles({ directory })).at(-1) ?? {}
  return { refused, said: findings.map(({ rule, level, line }) => `${rule} ${level} ${line}`) }
}

test("a finding of an applied file is accepted in the notes beside it, by the line of its statement", () => {
  for (const line of [2, 3]) {
    const notes = `-- d1:accept fails-on-rows, line ${line}: the table was empty in March`
    expect(lintWithNotes(notes)).toEqual({ refused: false, said: ["fails-on-rows warning 2"] })
  }
})

test("notes that name another line, or none, accept nothing, and that is said", () => {
  const refused = { refused: true, said: expect.arrayContaining(["fails-on-rows error 2"]) }
  const reason = "the table was empty in March"
  const elsewhere = lintWithNotes(`-- d1:accept fails-on-rows, line 1: ${reason}`)
  expect(elsewhere).toEqual(refused)
  expect(elsewhere.said).toContain("accept warning 1")
  const withoutLine = lintWithNotes(`-- d1:accept fails-on-rows: ${reason}`)
  expect(withoutLine).toEqual(refused)
  expect(withoutLine.said.some((text) => text.startsWith("accept warning"))).toBe(true)
})

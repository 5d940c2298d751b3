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

/** Lints an applied file with notes beside it. */
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

test("a finding of an applied file is accepted in the notes beside it", () => {
  const accepted = { refused: false, said: ["fails-on-rows warning 2"] }
  // Notes of earlier versions named the line of the statement.
  for (const rule of ["fails-on-rows", "fails-on-rows, line 2"]) {
    const notes = `-- d1:accept ${rule}: the table was empty in March`
    expect(lintWithNotes(notes)).toEqual(accepted)
  }
})

test("notes that name a rule which finds nothing accept nothing, and that is said", () => {
  const { refused, said } = lintWithNotes("-- d1:accept old-names: the table was empty in March")
  expect({ refused, said }).toEqual({
    refused: true,
    said: ["fails-on-rows error 2", expect.stringMatching(/^accept warning /)],
  })
})

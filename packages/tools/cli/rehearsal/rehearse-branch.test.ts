import { afterAll, expect, test } from "vitest"

import { startLocalCloudflare } from "../../deploy/testing/local-cloudflare.ts"
import { openRehearsals } from "./testing/rehearsals.ts"

const cloudflare = await startLocalCloudflare()
afterAll(() => cloudflare[Symbol.asyncDispose]())
const { rehearse } = openRehearsals(cloudflare)

function rowsIn(
  tables: { table: string; before: number | undefined; after: number | undefined }[],
) {
  return Object.fromEntries(tables.map(({ table, before, after }) => [table, [before, after]]))
}

test("a branch without a new file has nothing to rehearse, and starts nothing", async () => {
  const { text, problems, said } = await rehearse({})
  expect({ text, problems, said }).toEqual({
    text: "No migration is new since 0123456789ab: nothing to rehearse.",
    problems: [],
    said: [],
  })
})

test("an expanding file keeps every row", async () => {
  const { rehearsal, problems, text } = await rehearse({
    "0001_note.sql":
      "CREATE TABLE note (id TEXT PRIMARY KEY);\nALTER TABLE user ADD locale TEXT;\n",
  })
  expect(problems).toEqual([])
  const [file] = rehearsal.files
  expect(file).toMatchObject({ class: "expand", outcome: "applied" })
  expect(rowsIn(file?.tables ?? [])).toEqual({
    audit: [20, 20],
    note: [undefined, 0],
    old_log: [20, 20],
    session: [20, 20],
    user: [20, 20],
  })
  expect(text).toContain("4 tables keep their rows")
})

test("a rebuild that takes other tables' rows is refused, with what it would take", async () => {
  const { rehearsal, problems, text } = await rehearse({
    "0001_plan.sql": `PRAGMA foreign_keys=OFF;
CREATE TABLE __new_user (id TEXT PRIMARY KEY, name TEXT, plan TEXT NOT NULL);
INSERT INTO __new_user SELECT id, name, plan FROM user;
DROP TABLE user;
ALTER TABLE __new_user RENAME TO user;
`,
    "0002_more.sql": "CREATE TABLE more (id TEXT PRIMARY KEY);\n",
  })
  const [file] = rehearsal.files
  expect(file?.outcome).toBe("refused")
  expect(rowsIn(file?.tables ?? [])).toMatchObject({ user: [20, 20], session: [20, 0] })
  expect(problems).toEqual([expect.stringContaining("rows of session are deleted")])
  expect(rehearsal).toMatchObject({ notRun: ["0002_more.sql"] })
  expect(text).toContain("not applied; without the row guard: session 20 → 0")
})

test("rows that go undeclared are refused, and those that are declared are counted", async () => {
  const undeclared = await rehearse({ "0001_log.sql": "DROP TABLE old_log;\n" })
  expect(undeclared.problems).toEqual([expect.stringContaining("rows of old_log are gone")])
  expect(undeclared.text).toContain("old_log 20 → gone")

  const words = "-- accounts:loses old_log, all rows: it has not been read since May\n"
  const declared = await rehearse({ "0001_log.sql": `${words}DROP TABLE old_log;\n` })
  expect(declared.problems).toEqual([])
  expect(declared.rehearsal.files[0]).toMatchObject({ class: "destructive", outcome: "applied" })
  expect(declared.text).toContain("rows    old_log 20 → gone, 3 tables keep their rows")
})

test("a bound that the rows exceed fails in the row guard", async () => {
  const words = "-- accounts:loses audit, at most 3 rows: entries without an actor say nothing\n"
  const { rehearsal, problems } = await rehearse({
    "0001_audit.sql": `${words}DELETE FROM audit WHERE id > 2;\n`,
  })
  expect(rehearsal.files[0]).toMatchObject({ outcome: "refused" })
  expect(problems[0]).toContain("18 of the rows of audit are not in audit any more")
})

test("a file that only rows let fail is shown to fail, with the statement", async () => {
  const { rehearsal, problems } = await rehearse({
    "0001_unique.sql": "CREATE UNIQUE INDEX user_plan ON user (plan);\n",
    "0002_more.sql": "CREATE TABLE more (id TEXT PRIMARY KEY);\n",
  })
  expect(rehearsal.files).toMatchObject([{ outcome: "failed", tables: expect.any(Array) }])
  expect(problems[0]).toMatch(
    /^0001_unique.sql, statement 1 .* was not applied: UNIQUE constraint failed: user.plan/,
  )
})

test("text of the branch neither steers the terminal nor ends a code block", async () => {
  const { text } = await rehearse({
    "0001_odd.sql": 'CREATE TABLE "a ``` `@acme/ops`\n```\n<img>\u202e\r" (id TEXT PRIMARY KEY);\n',
  })
  expect(text).toContain("@acme/ops")
  expect(text).not.toMatch(/`|[^\P{C}\n]/u)
})

import { expect, test } from "vitest"

import { parseMigration } from "../files/migration-files.ts"
import { judgeEach } from "./judgement.ts"

function judged(...files: string[]) {
  const migrations = files.map((sql, index) =>
    parseMigration(`000${index}_file.sql`, Buffer.from(sql)),
  )
  return judgeEach(migrations, () => true).at(-1)
}

const user = "CREATE TABLE user (id TEXT PRIMARY KEY, name TEXT, plan TEXT);"

test.each([
  ["expand", "ALTER TABLE user ADD COLUMN image TEXT; CREATE TABLE note (id TEXT PRIMARY KEY);"],
  ["expand", "UPDATE user SET name = '' WHERE name IS NULL;"],
  ["contract", "CREATE UNIQUE INDEX user_name ON user (name);"],
  ["contract", "ALTER TABLE user RENAME COLUMN name TO full_name;"],
  [
    "contract",
    "CREATE TABLE member (id TEXT PRIMARY KEY, name TEXT, plan TEXT); INSERT INTO member SELECT * FROM user; DROP TABLE user;",
  ],
  ["destructive", "ALTER TABLE user DROP COLUMN name;"],
  ["destructive", "-- d1:loses user.name: no query reads it\nALTER TABLE user DROP COLUMN name;"],
  ["destructive", "DELETE FROM user WHERE plan = 'trial';"],
])("%s: %s", (kind, sql) => {
  expect(judged(user, sql)?.classification.class).toBe(kind)
})

test("what a file would take with any row is an objection, with all lines that it lacks", () => {
  const judgedFile = judged(
    user,
    "UPDATE user SET plan = upper(plan); ALTER TABLE user DROP COLUMN name;",
  )
  expect(judgedFile?.objections).toEqual([
    expect.stringMatching(/^0001_file.sql, statement 2 of 2 .*user.name is gone with its values/),
    expect.stringContaining("-- d1:changes user.plan: REASON\n-- d1:loses user.name: REASON"),
  ])
})

test("of what the rows decide nothing is refused beforehand", () => {
  expect(judged(user, "DELETE FROM user WHERE plan = 'trial';")?.objections).toEqual([])
})

test("for a database that had no table nothing can go", () => {
  const files = [user, "ALTER TABLE user DROP COLUMN name;"].map((sql, index) =>
    parseMigration(`000${index}_file.sql`, Buffer.from(sql)),
  )
  const judgedFile = judgeEach(files, () => true, { isEmpty: true }).at(-1)
  expect(judgedFile).toMatchObject({
    classification: { class: "contract" },
    losses: [],
    objections: [],
  })
})

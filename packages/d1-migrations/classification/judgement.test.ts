import { expect, test } from "vitest"

import { parseMigration } from "../files/migration-files.ts"
import { judgeEach } from "./judgement.ts"

const first = file("0000_first.sql", "CREATE TABLE user (id TEXT PRIMARY KEY, name TEXT);")
const drops = "ALTER TABLE user DROP COLUMN name;"
const second = file("0001_second.sql", drops)

function file(name: string, sql: string) {
  return parseMigration(name, Buffer.from(sql))
}

function judged(...files: (typeof first)[]) {
  return judgeEach(files, () => true).at(-1)
}

test("what a file does is found out once for the same content, and anew for any other", () => {
  const once = judged(first, second)
  expect(judged(first, file("0001_second.sql", drops))?.classification).toBe(once?.classification)
  const declared = `${drops}\n-- migration: loses user.name\n`
  const filled = `${first.sql} INSERT INTO user VALUES ('a', 'Ada');`
  const others = [
    judged(first, file("0001_other.sql", drops)),
    judged(first, file("0001_second.sql", declared)),
    judged(file("0000_first.sql", filled), second),
    judged(file("0000_first.sql", first.sql.replace("name TEXT", "name TEXT, age")), second),
  ]
  for (const other of others) expect(other?.classification).not.toBe(once?.classification)
  expect(others.map((other) => other?.classification.class)).toEqual(Array(4).fill("destructive"))
})

test("for a database that had no table no rows are made up, and nothing can go", () => {
  const one = judgeEach([first, second], () => true, { isEmpty: true }).at(-1)
  expect(one?.classification).toMatchObject({
    class: "contract",
    breaks: [{ table: "user" }],
    trial: { filled: new Set(), losses: [] },
  })
  expect(judged(first, second)?.classification.trial.filled).toEqual(new Set(["user"]))
})

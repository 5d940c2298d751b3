import { expect, test } from "vitest"

import { followSchema, schemaAfter } from "./earlier-schema.ts"

const files = [
  "CREATE TABLE user (id TEXT PRIMARY KEY); INSERT INTO user VALUES ('a');",
  "CREATE TABLE note (id TEXT, user TEXT REFERENCES user (id));",
  "ALTER TABLE user RENAME TO member;",
]

/** Reads files one after the other, and from the beginning: the schema with its rows, and the first failure. */
function both(follow: ReturnType<typeof followSchema>, scripts: string[]) {
  const [followed, fromScratch] = [follow(scripts), schemaAfter(scripts)]
  using database = followed.database
  using anew = fromScratch.database
  const problems = [followed, fromScratch].map(({ problem }) => problem)
  return [
    { objects: database.objects(), rows: rowsIn(database), problem: problems[0] },
    { objects: anew.objects(), rows: rowsIn(anew), problem: problems[1] },
  ]
}

function rowsIn(database: ReturnType<typeof schemaAfter>["database"]): unknown[] {
  const [first] = database.objects()
  return first === undefined ? [] : database.rows(`SELECT * FROM "${first.name}"`)
}

test("files that are read one after the other leave what they leave when read from the beginning", () => {
  const follow = followSchema()
  const prefixes = files.map((_, index) => files.slice(0, index + 1))
  const lists = [[], ...prefixes, files.slice(0, 2), ["CREATE TABLE apart (id TEXT);"], files]
  for (const list of lists) {
    const [followed, anew] = both(follow, list)
    expect(followed).toEqual(anew)
  }
})

test("statements after a failure are still read, and the failure stays", () => {
  const follow = followSchema()
  const bad = [...files, "DROP TABLE user;"]
  for (const list of [bad, [...bad, "CREATE TABLE user (id TEXT);"], files]) {
    const [followed, anew] = both(follow, list)
    expect(followed).toEqual(anew)
  }
})

test("a file that is read already is not read again", () => {
  const follow = followSchema()
  const once = "CREATE TABLE counted (id INTEGER PRIMARY KEY); INSERT INTO counted DEFAULT VALUES;"
  follow([once]).database[Symbol.dispose]()
  using database = follow([once, "INSERT INTO counted DEFAULT VALUES;"]).database
  expect(database.rows("SELECT count(*) AS n FROM counted")).toEqual([{ n: 2n }])
})

import { expect, test } from "vitest"

import { bySchema, openScratchDatabase, type ScratchDatabase } from "./scratch-database.ts"

test("what the schema decides is asked once for each schema, in whichever database that is", () => {
  let questions = 0
  const count = bySchema((database) => {
    questions += 1
    return database.rows("SELECT 1 FROM sqlite_master").length
  })
  using database = openScratchDatabase()
  database.exec("CREATE TABLE one (id INTEGER PRIMARY KEY)")
  expect([count(database), count(database)]).toEqual([1, 1])
  expect(questions).toBe(1)
  database.exec("INSERT INTO one VALUES (1)")
  using copy = database.copy()
  expect(count(copy)).toBe(1)
  expect(questions).toBe(1)

  // SQLite gives the second schema the number that the first one had before it was undone.
  database.exec("BEGIN; CREATE TABLE two (id INTEGER)")
  expect(count(database)).toBe(2)
  database.exec("ROLLBACK; CREATE VIEW other AS SELECT 1; CREATE VIEW another AS SELECT 1")
  expect(count(database)).toBe(3)
})

test.each([
  ["a statement", (database: ScratchDatabase) => database.prepare("CREATE TABLE b (id)").run()],
  ["a script", (database: ScratchDatabase) => database.exec("CREATE TABLE b (id); SELECT 1;")],
  [
    "a savepoint that is rolled back",
    (database: ScratchDatabase) => {
      database.exec("SAVEPOINT s; CREATE TABLE c (id)")
      database.schema()
      database.exec("ROLLBACK TO s; CREATE TABLE b (id)")
    },
  ],
  [
    "a conflict that rolls all back",
    (database: ScratchDatabase) => {
      database.exec(
        "CREATE TABLE b (id PRIMARY KEY ON CONFLICT ROLLBACK); INSERT INTO b VALUES (1)",
      )
      database.exec("BEGIN; CREATE TABLE c (id)")
      database.schema()
      expect(() => database.prepare("INSERT INTO b VALUES (1)").run()).toThrow("UNIQUE")
    },
  ],
])("the text of a schema is up to date after %s", (_, change) => {
  using database = openScratchDatabase()
  database.exec("CREATE TABLE a (id)")
  expect(database.schema()).not.toContain(" b ")
  change(database)
  expect(database.schema()).toContain("table b ")
  expect(database.schema()).not.toContain("table c ")
})

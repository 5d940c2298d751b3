import { expect, test } from "vitest"

import { bySchema } from "./by-schema.ts"
import { openScratchDatabase } from "./scratch-database.ts"

test("what the schema decides is asked once for each schema, in whichever database that is", () => {
  let asked = 0
  const countTables = bySchema((database, type: string) => {
    asked += 1
    return database.rows("SELECT 1 FROM sqlite_master WHERE type = ?", type).length
  })
  using database = openScratchDatabase()
  database.exec("CREATE TABLE one (id INTEGER PRIMARY KEY)")
  expect([countTables(database, "table"), countTables(database, "table")]).toEqual([1, 1])
  expect(asked).toBe(1)
  expect(countTables(database, "view")).toBe(0)
  database.exec("INSERT INTO one VALUES (1)")
  using copy = database.copy()
  expect(countTables(copy, "table")).toBe(1)
  expect(asked).toBe(2)

  // SQLite gives the second schema the number that the first one had before it was undone.
  database.exec("BEGIN; CREATE TABLE two (id INTEGER)")
  expect(countTables(database, "table")).toBe(2)
  database.exec("ROLLBACK; CREATE VIEW other AS SELECT 1")
  expect([countTables(database, "table"), countTables(database, "view")]).toEqual([1, 1])
})

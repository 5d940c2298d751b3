import { expect, test } from "vitest"

import { readSchema, quoteName } from "../schema/schema.ts"
import { openScratchDatabase, type ScratchDatabase } from "../schema/scratch-database.ts"
import { keepChildRows } from "./safe-rebuild.ts"
import { type Shape, shapes } from "./testing/shapes.ts"

function open({ schema, rows }: Shape): ScratchDatabase {
  const database = openScratchDatabase()
  database.exec(schema)
  database.exec(rows)
  return database
}

/** All values, the numbers that AUTOINCREMENT has given, and all objects that are no table. */
function contentOf(database: ScratchDatabase) {
  const tables = readSchema(database).map(({ name, columns }) => {
    const list = columns.map((column) => `quote(${quoteName(column.name)})`).join(" || ',' || ")
    const rows = database.rows(`SELECT ${list} AS row FROM ${quoteName(name)}`)
    return [name, rows.map(({ row }) => String(row)).toSorted()]
  })
  const objects = database
    .rows(
      "SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view') OR name LIKE 'user\\_%' ESCAPE '\\' ORDER BY name",
    )
    .map(({ name }) => String(name))
  const sequenceTable = database.rows("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'")
  const numbers =
    sequenceTable.length === 0 ? [] : database.rows("SELECT name, seq FROM sqlite_sequence")
  return {
    tables,
    objects,
    numbers: numbers.map((row) => Object.values(row).map(String).join(" ")).toSorted(),
  }
}

/** Where the right form cannot be written, the reason stands here, and nothing is written. */
const refusals: Record<string, string> = {
  "a trigger that names a dropped column": "the trigger told no longer works",
  "a key that a check forbids to move": "a check of user may refuse",
  "a number that a check forbids to move": "a check of user may refuse",
  "a copy that reads the table twice": "does not read it plainly, and once",
  "an index made before the table has its name": "no such table: main.__new_user",
  "references that are emptied with the key": "refers to user ON UPDATE SET NULL",
  "a key of bytes": "neither text nor an integer",
  "a copy that filters": "may leave rows of user behind",
  "a copy that forgets a column": "user.n loses its values",
}

test.each(Object.entries(shapes).filter(([name]) => refusals[name] !== undefined))(
  "%s: refused with its reason",
  (name, { file, schema }) => {
    expect(() => keepChildRows(file, [schema])).toThrow(refusals[name])
  },
)

test.each(Object.entries(shapes).filter(([name]) => refusals[name] === undefined))(
  "%s: every value, index, trigger and number is there",
  (name, shape) => {
    const fixed = `BEGIN; ${keepChildRows(shape.file, [shape.schema])}; COMMIT;`
    using now = open(shape)
    now.exec(fixed)
    using before = open(shape)
    using meant = open(shape)
    // Without foreign keys the file does what its author means.
    meant.exec("PRAGMA foreign_keys = OFF;")
    // A view stops a rename while its table is gone, so it is dropped here.
    meant.exec(
      shape.file.replace("DROP TABLE user;", "DROP VIEW IF EXISTS mails; DROP TABLE user;"),
    )
    expect(contentOf(now).tables).toEqual(contentOf(meant).tables)
    expect(contentOf(now).objects).toEqual(expect.arrayContaining(contentOf(before).objects))
    expect(contentOf(now).numbers).toEqual(contentOf(before).numbers)
    const touches = readSchema(now).map(({ name: table, columns }) => {
      const first = quoteName(columns[0]?.name ?? "")
      return `UPDATE ${quoteName(table)} SET ${first} = ${first}`
    })
    expect(touches.map((sql) => now.problemOf(sql))).toEqual(touches.map(() => undefined))
  },
)

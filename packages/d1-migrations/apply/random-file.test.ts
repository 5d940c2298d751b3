import { expect, test } from "vitest"

import { seededRandom } from "../testing/seeded-random.ts"
import { randomFile } from "./testing/random-file.ts"

/** Kinds of real files that a guard may not expect, by words of the file, of the schema or of the rows. */
const kinds: Record<string, { sql?: RegExp; earlier?: RegExp; rows?: RegExp }> = {
  "functions over columns": { sql: /\b(?:substr|replace|round|upper|ltrim)\(/ },
  "functions in conditions": { sql: /WHERE .*\b(?:length|hex|typeof)\(/ },
  "checks that are added": { sql: /CREATE TABLE new_item .*CHECK/ },
  "checks that ignore or replace": { sql: /CHECK[^;]*;\s*INSERT OR (?:IGNORE|REPLACE)/ },
  "JSON that is read": { sql: /json_extract|->>|json_array_length/ },
  "JSON that is written": { sql: /json_set|json\(j\)/ },
  "full-text tables that are written": { sql: /UPDATE docs|DELETE FROM docs/ },
  "full-text tables that are made again": { sql: /CREATE VIRTUAL TABLE/ },
  "views that a copy reads": { sql: /INSERT[^;]*FROM shown/ },
  "writes through a view": { sql: /(?:UPDATE|DELETE FROM|INSERT INTO) pairs/ },
  "triggers that delete": { earlier: /TRIGGER tell.*DELETE/ },
  "triggers that ignore": { earlier: /RAISE\(IGNORE\)/ },
  "ON UPDATE of keys that change": { sql: /SET id = lower/, earlier: /ON UPDATE (?:CASCADE|SET)/ },
  "seeds that people edited": { rows: /'edited'/ },
  "seeds that people replaced": { rows: /'mine'\);$/ },
  "tables of many columns": { sql: /CREATE TABLE new_item/, earlier: /w49 TEXT/ },
  "texts of more than 300 characters": { rows: /zeroblob\((?:200|700)\)/ },
  "rows replaced by another key": { sql: /REPLACE/, earlier: /UNIQUE/ },
  "joins that multiply": { sql: /LEFT JOIN/ },
  "columns that are moved": { sql: /DROP COLUMN/ },
  "rows named by their keys": { sql: /'given'/ },
}

test("300 files have each kind that the guard has to know", () => {
  const files = Array.from({ length: 300 }, (_, index) => randomFile(seededRandom(100_000 + index)))
  const drawn = Object.entries(kinds).map(([kind, { sql, earlier, rows }]) => {
    const randomFiles = files.filter(
      (file) =>
        sql?.test(file.sql) !== false &&
        earlier?.test(file.earlier) !== false &&
        rows?.test(file.rows) !== false,
    )
    return { kind, count: randomFiles.length }
  })
  expect(drawn.filter(({ count }) => count < 2)).toEqual([])
})

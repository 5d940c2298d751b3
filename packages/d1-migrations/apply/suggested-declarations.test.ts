import { expect, test } from "vitest"

import { lintScript } from "../lint/lint.ts"
import { applyCase } from "./testing/apply-case.ts"

const before = "CREATE TABLE log (at TEXT, level TEXT, text TEXT);"
const rows =
  "INSERT INTO log VALUES ('2', NULL, 'b'), ('1', 'Warn', 'a'), ('1', 'Warn', 'a'), (NULL, NULL, NULL);"

function rebuilt(select: string): string {
  return `CREATE TABLE n (at TEXT, level TEXT, text TEXT); INSERT INTO n ${select};
DROP TABLE log; ALTER TABLE n RENAME TO log;`
}

/** The file below the declarations that its findings suggest. */
function declared(change: string): string {
  const { findings } = lintScript({ sql: change, earlier: [before] })
  const lines = findings.flatMap(({ rewrite }) => rewrite.match(/-- d1:.*?: REASON/g) ?? [])
  return [...lines, change].join("\n").replaceAll("REASON", "decided in the ticket")
}

test.each([
  ["filled", "coalesce(level, 'info'), text"],
  ["tidied and filled", "coalesce(lower(level), 'info'), coalesce(text, '')"],
])("a copy without a key that is %s passes as its finding says", async (_what, cells) => {
  const change = rebuilt(`SELECT at, ${cells} FROM log`)
  const sql = declared(change)
  const one = { name: "", harm: "no", lint: "", up: "sends", before, rows } as const
  expect((await applyCase({ ...one, change: sql })).up).toBe("applied")
  const isChanged = cells.includes("lower")
  expect((await applyCase({ ...one, change })).up).toBe(isChanged ? "failed" : "applied")
  const fewer = sql.replace("FROM log", "FROM log WHERE hex(text) <> '62'")
  expect((await applyCase({ ...one, change: fewer })).up).toBe("failed")
})

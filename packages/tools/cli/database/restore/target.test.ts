import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import type { Api } from "../../../deploy/api.ts"
import { openDatabase } from "../../../environment/own-names.ts"
import { targetOfFile, restorePointTarget } from "./target.ts"

function refuse() {
  return Promise.reject(new Error("nothing is asked for"))
}

const api: Api = { get: refuse, post: refuse, put: refuse, delete: refuse, query: refuse }
const place = { api, accountId: "a", databaseId: "d" }
const here = { stack: "s", local: false }
const names = { stack: "s", place: here, worker: "w", address: { url: "http://localhost" } }
const site = { ...place, ...names, database: openDatabase(place) }

test.each([
  ["cut off", "CREATE TABLE a (id", /begins a statement that never ends/],
  ["something else", "DROP TABLE user;", /line 1 is no part of an export: DROP TABLE user/],
  ["empty", "", /it makes no table/],
  [
    "short of rows",
    '-- accounts backup 1 {"stack":"s","databaseId":"d","bookmark":"b","at":"2026-11-22T10:00:00Z","tables":[{"name":"a","rows":2}]}\nCREATE TABLE a (id);\n',
    /it says 2 rows of a, but has 0/,
  ],
])("a file that is %s is refused before anything stops", async (_what, text, reason) => {
  const directory = await mkdtemp(join(tmpdir(), "accounts-target-test-"))
  await using _ = { [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) }
  const file = join(directory, "bad.sql")
  await writeFile(file, text)
  await expect(targetOfFile(site, file)).rejects.toThrow(reason)
})

test.each(["yesterday", "2999-01-01T00:00:00Z"])("no moment is %s", async (to) => {
  await expect(restorePointTarget(site, to)).rejects.toThrow(/^--to/)
})

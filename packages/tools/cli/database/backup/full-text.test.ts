import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, expect, test } from "vitest"

import { openDatabase } from "../../../environment/own-names.ts"
import { createDatabase, importDump } from "../d1-account.ts"
import { findLosses } from "../restore/restore.ts"
import { targetOfFile } from "../restore/target.ts"
import { findProblems, importFile } from "../restore/travel.ts"
import { readContents } from "../table-contents.ts"
import { startAccount } from "../testing/database-site.ts"
import { backUp, uploadOf } from "./backup.ts"

const underTest = await startAccount()
const { account, proxy } = underTest
afterAll(() => underTest[Symbol.asyncDispose]())

const { signal } = new AbortController()

/** With content of its own, of another table, with none, and the words of one. */
const files = {
  "0000_all.sql": `
CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT);
CREATE VIRTUAL TABLE note USING fts5(title, "the body", owner UNINDEXED, tokenize = 'porter');
CREATE VIRTUAL TABLE page_words USING fts5(title, content = 'page', content_rowid = 'id');
CREATE VIRTUAL TABLE sent USING fts5(text, content = '');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(note, row);
CREATE INDEX page_title ON page (title);
CREATE TRIGGER page_added AFTER INSERT ON page BEGIN
  INSERT INTO page_words (rowid, title) VALUES (new.id, new.title);
END;`,
}

const rows = `INSERT INTO page VALUES (1, 'first page'), (7, 'other');
INSERT INTO note (rowid, title, "the body", owner) VALUES (3, 'it''s; "two"', 'lines -- no
comment', 'u1'), (90, 'a' || char(0) || 'b', NULL, 7);
INSERT INTO sent (rowid, text) VALUES (1, 'gone');`

async function setUp() {
  const site = await underTest.openSite(files)
  await site.migrate()
  await account.query(site.databaseId, rows)
  const directory = await mkdtemp(join(tmpdir(), "accounts-backup-"))
  const output = join(directory, "backup.sql")
  const lines: string[] = []
  return {
    ...site,
    output,
    lines,
    query: (sql: string) => account.query(site.databaseId, sql),
    backUp: () => backUp(site, { output, signal, say: (line) => lines.push(line) }),
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true })
      await site[Symbol.asyncDispose]()
    },
  }
}

test("full-text tables are backed up by their definitions and rows, and found again by their words", async () => {
  await using site = await setUp()
  const { tables, written } = await site.backUp()
  expect(written).toEqual([])
  expect(tables).toContainEqual({ name: "note", rows: 2 })
  expect(tables.map(({ name }) => name)).not.toContain("page_words")
  expect(site.lines.filter((line) => line.startsWith("sent:"))).toHaveLength(1)

  const databaseId = await createDatabase(site, { name: `${site.worker}-copy` })
  const copy = { ...site, databaseId }
  await importDump(copy, await uploadOf(site.output), { signal })
  const contents = await readContents(openDatabase(copy))
  expect(contents).toEqual(await readContents(site.database))
  expect(contents.get("note")?.rows).toBe(2)
  const asked = (id: string, sql: string) => account.query(id, sql)
  const note = `SELECT rowid, *, hex(title) AS bytes FROM note WHERE note MATCH 'line OR a'`
  expect(await asked(databaseId, note)).toEqual(await asked(site.databaseId, note))
  expect(await asked(databaseId, note)).toHaveLength(2)
  const page = "SELECT rowid, title FROM page_words WHERE page_words MATCH 'other'"
  expect(await asked(databaseId, page)).toEqual([{ rowid: 7, title: "other" }])
  expect(await asked(databaseId, "SELECT count(*) AS n FROM vocabulary")).not.toEqual([{ n: 0 }])
  await asked(databaseId, "INSERT INTO page VALUES (8, 'triggered')")
  expect(await asked(databaseId, page.replace("'other'", "'triggered'"))).toHaveLength(1)
})

test("a database with full-text tables is restored from its backup, and its losses said", async () => {
  await using site = await setUp()
  await site.backUp()
  const before = await readContents(site.database)
  await site.query("DELETE FROM note; DELETE FROM page WHERE id = 7; DROP TABLE vocabulary")
  const target = await targetOfFile(site, site.output)
  if (!("dump" in target)) throw new Error("a file has a dump")
  const counts = new Map(target.dump.tables.map(({ name, count }) => [name, count]))
  const losses = await findLosses(site.database, { rows: counts })
  const named = losses.map(({ table }) => table)
  expect(named).toEqual(expect.arrayContaining(["note", "page", "sent"]))
  expect(
    named.filter((name) => /^(?:note|sent|page_words)_|vocabulary|page_words/.test(name)),
  ).toEqual([])
  await importFile(site, target)
  expect(await readContents(site.database)).toEqual(before)
  expect(await findProblems(site, counts)).toEqual([])
})

test("rows of full text that come meanwhile are said to be written, and the backup is kept", async () => {
  await using site = await setUp()
  proxy.inject({
    method: "POST",
    path: new RegExp(`${site.databaseId}/export`),
    first: async () => {
      await site.query("INSERT INTO note (rowid, title) VALUES (91, 'meanwhile')")
    },
  })
  const { written } = await site.backUp()
  expect(written).toEqual(["note"])
  expect(await readFile(site.output, "utf8")).toContain("meanwhile")
})

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { createApi } from "../../../deploy/api.ts"
import { openDatabase } from "../../../environment/own-names.ts"
import { shortHash } from "../../process/is-alive.ts"
import { createDatabase, importDump, listDatabases, readDetails } from "../d1-account.ts"
import { findLosses } from "../restore/restore.ts"
import { targetOfFile } from "../restore/target.ts"
import { findProblems, importFile } from "../restore/time-travel.ts"
import { createScratchD1, scratchNameOf, readContents } from "../table-contents.ts"
import { startAccount } from "../testing/database-site.ts"
import { parseHeader, backUp, uploadOf } from "./backup.ts"
import { readDump } from "./dump.ts"

const underTest = await startAccount()
const { account, proxy } = underTest

const { signal } = new AbortController()

/** Children are created before their parents; one table refers to itself, its rows backwards. */
const files = {
  "0000_all.sql": `
CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user(id));
CREATE TABLE user (id TEXT PRIMARY KEY, note TEXT, picture BLOB, score REAL);
CREATE TABLE topic (id INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER REFERENCES topic(id));
CREATE TABLE seen (id INTEGER PRIMARY KEY);
CREATE INDEX session_user ON session (user_id);
CREATE VIEW names AS SELECT id FROM user;
CREATE TRIGGER session_seen AFTER INSERT ON session BEGIN
  INSERT INTO seen (id) VALUES (NULL);
END;`,
}

const rows = `PRAGMA defer_foreign_keys = on;
INSERT INTO user VALUES ('u1', 'it''s; "two"
lines -- no comment', X'00ff', 1.5), ('u2', NULL, NULL, 9007199254740993), ('', ' ', X'', -1e300);
INSERT INTO session VALUES ('s1', 'u1'), ('s2', 'u1');
INSERT INTO topic VALUES (1, 7), (7, NULL);`

async function setUp(content = { files, rows }) {
  const site = await underTest.openSite(content.files)
  await site.migrate()
  await account.query(site.databaseId, content.rows)
  const directory = await mkdtemp(join(tmpdir(), "accounts-backup-"))
  const output = join(directory, "backup.sql")
  const lines: string[] = []
  return {
    ...site,
    output,
    lines,
    query: (sql: string) => account.query(site.databaseId, sql),
    backUp: () => backUp(site, { output, signal, say: (line) => lines.push(line) }),
    left: async () => ({
      files: await readdir(directory),
      databases: (await listDatabases(site)).filter(({ name }) => name.includes("scratch")),
    }),
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true })
      await site[Symbol.asyncDispose]()
    },
  }
}

test("a backup brings back every row, and only its owner may read it", async () => {
  await using site = await setUp()
  const { tables, written, bookmark } = await site.backUp()
  expect(written).toEqual([])
  expect(Object.fromEntries(tables.map(({ name, rows: count }) => [name, count]))).toMatchObject({
    d1_migrations: 1,
    accounts_migrations: 1,
    user: 3,
    session: 2,
    seen: 2,
    topic: 2,
  })
  expect((await stat(site.output)).mode & 0o777).toBe(0o600)
  expect(await site.left()).toEqual({ files: ["backup.sql"], databases: [] })
  const dump = await readDump(site.output)
  expect(parseHeader(dump.header)).toMatchObject({ databaseId: site.databaseId, bookmark, tables })

  const databaseId = await createDatabase(site, { name: `${site.worker}-copy` })
  const copy = { ...site, databaseId }
  await importDump(copy, await uploadOf(site.output), { signal })
  expect(await readContents(openDatabase(copy))).toEqual(await readContents(site.database))
  expect(await account.query(databaseId, "PRAGMA foreign_key_check")).toEqual([])
})

test("parents stand before children, and nothing fires while rows come back", async () => {
  await using site = await setUp()
  await site.backUp()
  const text = await readFile(site.output, "utf8")
  const places = ["TABLE user", 'INTO "user"', "TABLE session", 'INTO "session"', "CREATE TRIGGER"]
  const offsets = places.map((part) => text.indexOf(part))
  expect(offsets).not.toContain(-1)
  expect(offsets).toEqual(offsets.toSorted((a, b) => a - b))
})

test("a file that exists is never overwritten", async () => {
  await using site = await setUp()
  await writeFile(site.output, "somebody's")
  await expect(site.backUp()).rejects.toThrow("exists already, and is not overwritten")
  expect(await readFile(site.output, "utf8")).toBe("somebody's")
})

test("a table that is written to meanwhile is compared with the export", async () => {
  await using site = await setUp()
  proxy.inject({
    method: "POST",
    path: new RegExp(`${site.databaseId}/export`),
    first: async () => {
      await account.query(site.databaseId, "INSERT INTO user (id) VALUES ('meanwhile')")
    },
  })
  const { written, tables } = await site.backUp()
  expect(written).toEqual(["user"])
  expect(tables).toContainEqual({ name: "user", rows: 4 })
})

test("a file that does not bring everything back is not kept", async () => {
  await using site = await setUp()
  proxy.inject({
    method: "POST",
    // After the import, before the copy is compared.
    path: /\/query$/,
    body: /FROM \\"session\\"/,
    times: 3,
    first: async () => {
      for (const { uuid, name } of await listDatabases(site)) {
        if (!name.includes("scratch")) continue
        await account.query(uuid, "DELETE FROM session WHERE id = 's2'")
      }
    },
  })
  const backup = site.backUp()
  await expect(backup).rejects.toThrow(/session: 2 rows \(sum \d+\) in the database, 1 row \(sum/)
  await expect(backup).rejects.toThrow("session: 2 rows exported, 1 restored")
  expect(await site.left()).toEqual({ files: [], databases: [] })
})

test.each(["export", "import"])("a failed %s leaves neither file nor database", async (action) => {
  await using site = await setUp()
  const path = new RegExp(`/${action}$`)
  using _outage = proxy.injectAll([{ method: "POST", path, fault: "500 before", times: 9 }])
  await expect(site.backUp()).rejects.toThrow(/500/)
  expect(await site.left()).toEqual({ files: [], databases: [] })
})

test.each([
  [
    "export",
    /"polling"\}$/,
    /not sent twice.*cancels it, because no client polls.*run this again in a minute/,
  ],
  ["import", /"init"/, /no answer/],
] as const)("a lost start of an %s is not sent again", async (action, body, reason) => {
  await using site = await setUp()
  const path = new RegExp(`/${action}$`)
  const before = proxy.seen.length
  proxy.inject({ method: "POST", path, body, fault: "drop after" })
  await expect(site.backUp()).rejects.toThrow(reason)
  const requests = proxy.seen
    .slice(before)
    .filter((request) => path.test(request.path) && body.test(request.body))
  expect(requests).toHaveLength(1)
  expect(await site.left()).toEqual({ files: [], databases: [] })
})

test.each(["", "drop after"] as const)(
  "the copy of a database with a jurisdiction has the same one, also where the answer is lost %s",
  async (fault) => {
    const { cloudflare } = underTest
    const { accountId, token } = cloudflare
    const api = createApi({ baseUrl: proxy.url, token })
    const databaseId = await createDatabase(
      { api, accountId },
      { name: `european-${fault.length}`, jurisdiction: "eu" },
    )
    const place = { api, accountId, databaseId }
    if (fault !== "") proxy.inject({ method: "POST", path: /\/d1\/database$/, fault })
    await using scratch = await createScratchD1(place)
    expect(await readDetails(scratch)).toMatchObject({ jurisdiction: "eu" })
    expect(scratch.databaseId).not.toBe(databaseId)
  },
)

test("what a killed run left is deleted by the next one, and nothing of others", async () => {
  await using site = await setUp()
  await writeFile(`${site.output}.999999999.partial`, "rows")
  await writeFile(`${site.output}.note`, "somebody's")
  const [dead, alive] = [scratchNameOf(site, 999_999_999), scratchNameOf(site, process.ppid)]
  const foreign = scratchNameOf({ databaseId: "another" }, 999_999_999)
  // The same process of another machine that has this one's name.
  const twin = dead.replace(/-\w{8}-(?=\d+$)/, `-${shortHash(hostname())}-`)
  for (const name of [dead, alive, foreign, twin]) await createDatabase(site, { name })
  await site.backUp()
  expect(site.lines).toContain(`deleted ${dead}, which a killed run had left`)
  const { databases, files: remainingFiles } = await site.left()
  expect(databases.map(({ name }) => name).toSorted()).toEqual([alive, foreign, twin].toSorted())
  expect(remainingFiles.toSorted()).toEqual(["backup.sql", "backup.sql.note"])
})

/** With content of its own, of another table, with none, and the words of one. */
const fullTextFiles = {
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

const fullTextRows = `INSERT INTO page VALUES (1, 'first page'), (7, 'other');
INSERT INTO note (rowid, title, "the body", owner) VALUES (3, 'it''s; "two"', 'lines -- no
comment', 'u1'), (90, 'a' || char(0) || 'b', NULL, 7);
INSERT INTO sent (rowid, text) VALUES (1, 'gone');`

const fullText = { files: fullTextFiles, rows: fullTextRows }

test("full-text tables are backed up by their definitions and rows, and found again by their words", async () => {
  await using site = await setUp(fullText)
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
  const rowsOf = (id: string, sql: string) => account.query(id, sql)
  const note = `SELECT rowid, *, hex(title) AS bytes FROM note WHERE note MATCH 'line OR a'`
  expect(await rowsOf(databaseId, note)).toEqual(await rowsOf(site.databaseId, note))
  expect(await rowsOf(databaseId, note)).toHaveLength(2)
  const page = "SELECT rowid, title FROM page_words WHERE page_words MATCH 'other'"
  expect(await rowsOf(databaseId, page)).toEqual([{ rowid: 7, title: "other" }])
  expect(await rowsOf(databaseId, "SELECT count(*) AS n FROM vocabulary")).not.toEqual([{ n: 0 }])
  await rowsOf(databaseId, "INSERT INTO page VALUES (8, 'triggered')")
  expect(await rowsOf(databaseId, page.replace("'other'", "'triggered'"))).toHaveLength(1)
})

test("a database with full-text tables is restored from its backup, and its losses said", async () => {
  await using site = await setUp(fullText)
  await site.backUp()
  const before = await readContents(site.database)
  await site.query("DELETE FROM note; DELETE FROM page WHERE id = 7; DROP TABLE vocabulary")
  const target = await targetOfFile(site, site.output)
  if (!("dump" in target)) throw new Error("a file has a dump")
  const counts = new Map(target.dump.tables.map(({ name, count }) => [name, count]))
  const losses = await findLosses(site.database, { rows: counts })
  const tableNames = losses.map(({ table }) => table)
  expect(tableNames).toEqual(expect.arrayContaining(["note", "page", "sent"]))
  expect(
    tableNames.filter((name) => /^(?:note|sent|page_words)_|vocabulary|page_words/.test(name)),
  ).toEqual([])
  await importFile(site, target)
  expect(await readContents(site.database)).toEqual(before)
  expect(await findProblems(site, counts)).toEqual([])
})

test("rows of full text that come meanwhile are said to be written, and the backup is kept", async () => {
  await using site = await setUp(fullText)
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

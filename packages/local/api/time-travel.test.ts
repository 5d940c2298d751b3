import { readdir } from "node:fs/promises"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

import {
  type LocalCloudflare,
  localCloudflare,
  localCloudflareProcess,
} from "../cloudflare/testing/local-cloudflare.ts"

const schema = `
  CREATE TABLE author (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, photo BLOB);
  CREATE TABLE book (
    title TEXT, author INTEGER REFERENCES author (id) ON DELETE CASCADE, price REAL, big INTEGER,
    shout TEXT GENERATED ALWAYS AS (upper(title)) VIRTUAL
  );
  CREATE INDEX book_title ON book (title);
  CREATE VIEW cheap AS SELECT title FROM book WHERE price < 1;
  CREATE TRIGGER renamed AFTER UPDATE ON author BEGIN UPDATE book SET title = 'x;' WHERE 0; END;
  INSERT INTO author (name, photo) VALUES ('it''s; me', X'00ff10'), ('gone', NULL);
  DELETE FROM author WHERE name = 'gone';
  INSERT INTO book (title, author, price, big) VALUES ('a', 1, 0.5, 9007199254740993), ('b', 1, 2, -1);
`

/** The whole content of the database as text, to include numbers too large for JSON. */
const everything = `
  SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY type, name;
  SELECT quote(id), quote(name), quote(photo) FROM author;
  SELECT quote(title), quote(author), quote(price), quote(big), quote(shout) FROM book;
  SELECT * FROM sqlite_sequence
`

async function library<Cloudflare extends LocalCloudflare>(cloudflare: Cloudflare) {
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  async function create(name: string) {
    const { uuid = "" } = await client.d1.database.create({ account_id, name })
    const path = `/accounts/${account_id}/d1/database/${uuid}`
    return {
      uuid,
      query: async (sql: string) => {
        const { result } = await client.d1.database.query(uuid, { account_id, sql })
        return result.map(({ results }) => results)
      },
      send: async <T extends z.ZodType>(Result: T, suffix: string, init?: RequestInit) => {
        const response = await cloudflare.request(`${path}/${suffix}`, init)
        const { result } = z.object({ result: z.unknown() }).parse(await response.json())
        return Result.parse(result)
      },
    }
  }
  return { cloudflare, create, [Symbol.asyncDispose]: () => cloudflare[Symbol.asyncDispose]() }
}

const Bookmark = z.object({ bookmark: z.string() })

test("a restore brings back everything in a bookmark, and can be undone", async () => {
  await using setup = await library(await localCloudflare())
  const { query, send } = await setup.create("travelled")
  await query(schema)
  const before = await query(everything)
  const { bookmark } = await send(Bookmark, "time_travel/bookmark")

  await query(
    "DROP TABLE book; DELETE FROM author; CREATE TABLE later (a); CREATE VIEW v AS SELECT * FROM later",
  )
  const names = () => query("SELECT name FROM sqlite_master ORDER BY name")
  const damaged = await names()
  const restore = (to: string) =>
    send(Bookmark.extend({ previous_bookmark: z.string() }), `time_travel/restore?bookmark=${to}`, {
      method: "POST",
    })
  const { previous_bookmark } = await restore(bookmark)
  expect(await query(everything)).toEqual(before)
  await restore(previous_bookmark)
  expect(await names()).toEqual(damaged)

  const early = await setup.cloudflare.request(
    `/accounts/${setup.cloudflare.accountId}/d1/database/travelled/time_travel/bookmark?timestamp=2020-01-01T00:00:00Z`,
  )
  expect(await early.json()).toMatchObject({ errors: [{ code: 7400 }] })
})

test("a restore works with foreign keys in circles, full-text search, triggers and rows", async () => {
  await using setup = await library(await localCloudflare())
  const { query, send } = await setup.create("circles")
  await query(`
    CREATE TABLE account (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE);
    CREATE TABLE user (id INTEGER PRIMARY KEY, main INTEGER REFERENCES account (id) ON DELETE SET NULL);
    CREATE TABLE log (at TEXT, what TEXT);
    CREATE VIRTUAL TABLE page USING fts5(title, body);
    CREATE TRIGGER noted AFTER DELETE ON user BEGIN INSERT INTO log VALUES ('now', 'deleted ' || old.id); END;
    CREATE VIEW owners AS SELECT u.id FROM user u JOIN account a ON a.owner = u.id;
    INSERT INTO user (id) VALUES (1), (2);
    INSERT INTO account VALUES (10, 1), (20, 2);
    UPDATE user SET main = id * 10;
    INSERT INTO page VALUES ('hello', 'a world of words'), ('bye', 'nothing');
  `)
  const readCounts = () =>
    query(`
      SELECT type, name, sql FROM sqlite_master ORDER BY type, name;
      SELECT * FROM user; SELECT * FROM account; SELECT * FROM log; SELECT * FROM owners;
      SELECT title FROM page WHERE page MATCH 'world'; PRAGMA foreign_key_check
    `)
  const before = await readCounts()
  const { bookmark } = await send(Bookmark, "time_travel/bookmark")
  await query("DELETE FROM user; DELETE FROM page; DROP VIEW owners; CREATE TABLE later (a)")
  await expect(readCounts()).rejects.toThrow("no such table: owners")

  // Queries of another client meet the old content or the new one, never an error.
  const errors: unknown[] = []
  const stop = new AbortController()
  const reading = (async () => {
    while (!stop.signal.aborted) {
      const [rows] = await query("SELECT count(*) AS n FROM user").catch((error: unknown) => {
        errors.push(error)
        return []
      })
      expect([[{ n: 0 }], [{ n: 2 }]]).toContainEqual(rows)
    }
  })()
  for (let round = 0; round < 5; round += 1) {
    await send(Bookmark, `time_travel/restore?bookmark=${bookmark}`, { method: "POST" })
    expect(await readCounts()).toEqual(before)
    await query("DELETE FROM user")
  }
  stop.abort()
  await reading
  expect(errors).toEqual([])
})

test("bookmarks survive a killed process and are deleted with their database", async () => {
  await using setup = await library(await localCloudflareProcess())
  const { uuid, query, send } = await setup.create("kept")
  await query("CREATE TABLE a (x); INSERT INTO a VALUES (1)")
  const { bookmark } = await send(Bookmark, "time_travel/bookmark")
  await query("DELETE FROM a")
  await setup.cloudflare.restart("SIGKILL")
  const path = `/accounts/${setup.cloudflare.accountId}/d1/database/${uuid}`
  const post = (route: string, body?: unknown) =>
    setup.cloudflare.request(`${path}/${route}`, { method: "POST", body: JSON.stringify(body) })
  const restored = await post(`time_travel/restore?bookmark=${bookmark}`)
  expect(restored.status).toBe(200)
  await setup.cloudflare.restart("SIGKILL")
  const rows = await post("query", { sql: "SELECT x FROM a" })
  expect(await rows.json()).toMatchObject({ result: [{ results: [{ x: 1 }] }] })
  await setup.cloudflare.request(path, { method: "DELETE" })
  expect(await readdir(join(setup.cloudflare.directory, "cloudflare", "bookmarks"))).toEqual([])
})

import { createHash } from "node:crypto"

import { expect, test } from "vitest"
import * as z from "zod"

import { wranglerProject } from "../cloudflare/testing/wrangler.ts"
import { startFaultServer } from "../faults/testing/fault-server.ts"

/** Creates its tables in the order of their names: `account` comes before the table that it references. */
const schema = `
  CREATE TABLE "account" (id INTEGER PRIMARY KEY AUTOINCREMENT, user INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE);
  CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT UNIQUE, main INTEGER REFERENCES account (id), photo BLOB, big INTEGER, price REAL,
    shout TEXT GENERATED ALWAYS AS (upper(name)) VIRTUAL);
  CREATE INDEX user_main ON user (main);
  CREATE TABLE log (what TEXT);
  CREATE TRIGGER noted AFTER DELETE ON user BEGIN INSERT INTO log VALUES ('gone; ' || old.name); END;
  CREATE VIEW owners AS SELECT u.name FROM user u JOIN account a ON a.user = u.id;
  INSERT INTO user (id, name, photo, big, price) VALUES
    (1, 'it''s; me' || char(10) || 'back\\slash' || char(13), X'00ff10', 9007199254740993, 0.5), (2, NULL, NULL, -1, 9e999);
  INSERT INTO account (user) VALUES (1), (2), (2);
  UPDATE user SET main = id;
  DELETE FROM account WHERE id = 3;
`

/** The whole content as text, to include numbers too large for JSON. */
const everything = `
  SELECT type, name, replace(sql, 'IF NOT EXISTS ', '') AS sql FROM sqlite_master
    WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY type, name;
  SELECT quote(id), quote(user) FROM account;
  SELECT quote(id), quote(name), quote(main), quote(photo), quote(big), quote(price), shout FROM user;
  SELECT * FROM log; SELECT * FROM owners; SELECT name, seq FROM sqlite_sequence; PRAGMA foreign_key_check
`

const Status = z.looseObject({
  status: z.string(),
  at_bookmark: z.string().optional(),
  errors: z.array(z.string()).optional(),
})
const Init = z.object({ filename: z.string(), upload_url: z.url() })

async function openAccount() {
  const cloudflare = await startFaultServer()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  async function create(name: string) {
    const { uuid = "" } = await client.d1.database.create({ account_id, name })
    const query = async (sql: string) => {
      const { result } = await client.d1.database.query(uuid, { account_id, sql })
      return result.map(({ results }) => results)
    }
    async function send<T extends z.ZodType>(Result: T, action: string, body: unknown) {
      const path = `/accounts/${account_id}/d1/database/${uuid}/${action}`
      const response = await cloudflare.request(path, {
        method: "POST",
        body: JSON.stringify(body),
      })
      return Result.parse(z.object({ result: z.unknown() }).parse(await response.json()).result)
    }
    async function upload(sql: string) {
      const etag = createHash("md5").update(sql).digest("hex")
      const { filename, upload_url } = await send(Init, "import", { action: "init", etag })
      expect((await fetch(upload_url, { method: "PUT", body: `${sql} ` })).status).toBe(400)
      const uploaded = await fetch(upload_url, { method: "PUT", body: sql })
      expect(uploaded.headers.get("etag")).toBe(`"${etag}"`)
      return { etag, filename }
    }
    return { uuid, query, send, upload }
  }
  return { cloudflare, create, [Symbol.asyncDispose]: () => cloudflare[Symbol.asyncDispose]() }
}

test("what wrangler exports it imports again, with foreign keys turned off as at Cloudflare", async () => {
  await using account = await openAccount()
  const [original, copy] = [await account.create("original"), await account.create("copy")]
  await original.query(schema)
  const { cloudflare } = account
  await using wrangler = await wranglerProject({
    cloudflare,
    config: { name: "backup" },
    files: {},
  })
  await wrangler.run(["d1", "export", "original", "--remote", "--output", "dump.sql"])
  const dump = await wrangler.read("dump.sql")
  expect(
    dump.startsWith('PRAGMA defer_foreign_keys=TRUE;\nCREATE TABLE IF NOT EXISTS "account"'),
  ).toBe(true)
  expect(dump.indexOf('INSERT INTO "account"')).toBeLessThan(dump.indexOf("CREATE TABLE user"))

  const execute = (file: string) =>
    wrangler.run(["d1", "execute", "copy", "--remote", "-y", "--file", file])
  await expect(execute("dump.sql")).rejects.toThrow("no such table: main.user: SQLITE_ERROR")
  expect(
    await copy.query("SELECT count(*) AS n FROM sqlite_master WHERE name = 'account'"),
  ).toEqual([[{ n: 0 }]])
  await wrangler.write("restore.sql", `-- a dump\nPRAGMA foreign_keys=OFF;\n${dump}`)
  await execute("restore.sql")
  expect(await copy.query(everything)).toEqual(await original.query(everything))
  // Foreign keys are on again.
  await expect(copy.query("INSERT INTO account (user) VALUES (99)")).rejects.toThrow("FOREIGN KEY")
})

test("an import that fails without foreign keys leaves nothing behind", async () => {
  await using account = await openAccount()
  const { query, send, upload } = await account.create("kept")
  await query("CREATE TABLE a (x UNIQUE); INSERT INTO a VALUES (1)")
  const importing = async (sql: string) =>
    send(Status, "import", {
      action: "ingest",
      ...(await upload(`PRAGMA foreign_keys=OFF;${sql}`)),
    })
  expect(await importing("CREATE TABLE b (y); INSERT INTO a VALUES (1)")).toMatchObject({
    status: "error",
    errors: ["UNIQUE constraint failed: a.x: SQLITE_CONSTRAINT"],
  })
  for (const sql of ["BEGIN; COMMIT", "ATTACH 'x.db' AS x", "CREATE TABLE _cf_b (y)"]) {
    expect(await importing(sql)).toMatchObject({
      status: "error",
      errors: [expect.stringContaining("not authorized")],
    })
  }
  expect(await query("SELECT name FROM sqlite_master WHERE name IN ('b', '_cf_b')")).toEqual([[]])
})

test("a long import is polled, and an uploaded file is not asked for again", async () => {
  await using account = await openAccount()
  const { cloudflare, create } = account
  const { query, send, upload } = await create("slow")
  await query("CREATE TABLE a (x)")
  const { etag, filename } = await upload("INSERT INTO a VALUES (1)")
  await cloudflare.inject({
    match: { surface: "d1", contains: "INSERT INTO a" },
    action: { type: "delay", ms: 4000 },
  })
  const first = await send(Status, "import", { action: "ingest", etag, filename })
  expect(first).toMatchObject({ status: "active", at_bookmark: expect.any(String) })
  const poll = () => send(Status, "import", { action: "poll", current_bookmark: first.at_bookmark })
  await expect.poll(poll).toMatchObject({ status: "complete", at_bookmark: first.at_bookmark })
  expect(await poll()).toMatchObject({ result: { num_queries: 1 } })
  expect(await query("SELECT x FROM a")).toEqual([[{ x: 1 }]])

  expect(await send(Status, "import", { action: "init", etag })).toMatchObject({
    status: "complete",
  })
  expect(await query("SELECT x FROM a")).toEqual([[{ x: 1 }, { x: 1 }]])
  const Refused = z.null()
  expect(await send(Refused, "import", { action: "poll", current_bookmark: "unknown" })).toBe(null)
})

test("a database with full-text search is not exported, in D1's words", async () => {
  await using account = await openAccount()
  const { query, send } = await account.create("searched")
  await query("CREATE VIRTUAL TABLE page USING fts5(title)")
  expect(await send(Status, "export", { output_format: "polling" })).toMatchObject({
    status: "error",
    error: "D1 Export error: cannot export databases with Virtual Tables (fts5)",
  })
})

import { planBaseline, writeBaseline } from "@accounts-stack/d1-migrations"
import { expect, test } from "vitest"

import { startAccount } from "../testing/database-site.ts"

const underTest = await startAccount()
const { account, proxy } = underTest

const [first, second, third] = ["0000_user.sql", "0001_session.sql", "0002_note.sql"]
const files = {
  [first]: "CREATE TABLE user (id TEXT PRIMARY KEY NOT NULL, plan TEXT DEFAULT 'free' NOT NULL);",
  [second]: `CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user(id) ON DELETE CASCADE);
CREATE UNIQUE INDEX session_user ON session (user_id);`,
  [third]: "ALTER TABLE user ADD note TEXT;",
}

/** The first two files as another tool writes them. */
const byHand = `
create table "user" ( \`plan\` text not null default 'free', [id] text not null primary key );
CREATE TABLE IF NOT EXISTS 'session' (id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES "user" ("id") ON DELETE CASCADE);
CREATE UNIQUE INDEX \`session_user\` ON \`session\` (\`user_id\`);
CREATE TABLE __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric);
INSERT INTO "user" (id) VALUES ('u1');`

async function setUp(sql: string) {
  const site = await underTest.openSite(files)
  const query = (text: string) => account.query(site.databaseId, text)
  await query(sql)
  return {
    ...site,
    query,
    plan: async (head?: string) => planBaseline(site.database, await site.files(), head),
    async adopt() {
      const plan = await planBaseline(site.database, await site.files())
      await writeBaseline({ ...site, files: await site.files() }, plan)
      return plan
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  }
}

test("a database migrated by hand is adopted, and the next run applies what it lacks", async () => {
  await using site = await setUp(byHand)
  expect(await site.adopt()).toMatchObject({
    adopted: [first, second],
    removed: [],
    pending: [third],
  })
  expect((await site.plan()).sql).toBeUndefined()
  await site.migrate()
  expect(await site.query("SELECT id, plan, note FROM user")).toEqual([
    { id: "u1", plan: "free", note: null },
  ])
})

test("wrangler's ledger of other names is replaced, in the order of the files", async () => {
  await using site = await setUp(`${byHand}
CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);
INSERT INTO d1_migrations (name) VALUES ('0001_session.sql'), ('20250101_init.sql');`)
  expect(await site.adopt()).toMatchObject({ removed: ["20250101_init.sql"] })
  expect((await site.database.applied()).map(({ name }) => name)).toEqual([first, second])
})

test.each([
  ["ALTER TABLE session ADD ip TEXT", "only in the database: column session.ip text"],
  ["DROP INDEX session_user", "only in the files: index session_user"],
  ["ALTER TABLE session RENAME TO other", "only in the database: table other"],
  ["CREATE VIEW v AS SELECT 1", "only in the database: view v"],
  [
    "DROP INDEX session_user; CREATE INDEX session_user ON session (user_id)",
    "index session_user: create index session_user on session ( user_id ) in the database",
  ],
])("another schema is refused with the difference (%s)", async (change, difference) => {
  await using site = await setUp(`${byHand} ${change};`)
  const before = await site.database.objects()
  await expect(site.adopt()).rejects.toThrow(difference)
  expect(await site.database.objects()).toEqual(before)
})

test("files that change rows alone leave a choice, which the operator makes", async () => {
  await using site = await setUp(byHand)
  await site.folder.write(third, "UPDATE user SET plan = 'free';")
  await expect(site.plan()).rejects.toThrow(/each of 0001_session\.sql, 0002_note\.sql.*--head/)
  expect(await site.plan(third)).toMatchObject({ adopted: [first, second, third] })
  await expect(site.plan(first)).rejects.toThrow(`not that of ${first}, but of ${second}, ${third}`)
})

test("files that fill tables are compared by what they define, whatever their rows need", async () => {
  const setUpRows = {
    "INSERT INTO user (id) VALUES ('u1'), ('u1');": byHand,
    "INSERT INTO session VALUES ('s1', (SELECT id FROM user WHERE plan = 'pro'));": byHand,
  }
  for (const [rows, sql] of Object.entries(setUpRows)) {
    await using site = await setUp(sql)
    await site.folder.write(second, `${files[second]} ${rows}`)
    expect(await site.plan()).toMatchObject({ adopted: [first, second] })
  }
})

test("a lost answer is settled by the ledger", async () => {
  await using site = await setUp(byHand)
  const rule = {
    method: "POST",
    path: new RegExp(site.databaseId),
    body: /accounts_migrations.*INSERT/s,
  }
  proxy.inject({ ...rule, fault: "drop after" })
  await site.adopt()
  expect(await site.database.applied()).toHaveLength(2)
})

test("a database that changed after the plan is left as it is", async () => {
  await using site = await setUp(byHand)
  const plan = await site.plan()
  await site.query("ALTER TABLE user ADD note TEXT")
  const written = writeBaseline({ ...site, files: await site.files() }, plan)
  await expect(written).rejects.toThrow("has changed meanwhile, so nothing was written")
  expect(await site.database.applied()).toEqual([])
})

test("class and oldest version of the adopted files are recorded, where no deployment has", async () => {
  await using site = await setUp(
    `${byHand} ALTER TABLE session DROP COLUMN ip;`.replace(
      "user_id TEXT",
      "ip TEXT, user_id TEXT",
    ),
  )
  await site.query(
    `CREATE TABLE accounts_migrations (name TEXT PRIMARY KEY NOT NULL, sha256 TEXT NOT NULL, class TEXT);
     INSERT INTO accounts_migrations VALUES ('${first}', 'old', 'as recorded')`,
  )
  await site.folder.write(
    second,
    (files[second] ?? "").replace("user_id TEXT", "ip TEXT, user_id TEXT"),
  )
  await site.folder.write(third, "ALTER TABLE session DROP COLUMN ip;")
  const { classes } = await site.adopt()
  expect(classes).toEqual({ [first]: "expand", [second]: "expand", [third]: "destructive" })
  const recorded = "SELECT name, class, oldest_worker FROM accounts_migrations ORDER BY name"
  expect(await site.query(recorded)).toEqual([
    { name: first, class: "as recorded", oldest_worker: null },
    { name: second, class: "expand", oldest_worker: null },
    { name: third, class: "destructive", oldest_worker: third },
  ])
})

test("an empty database has nothing to adopt", async () => {
  await using site = await setUp("SELECT 1")
  await expect(site.plan()).rejects.toThrow("The database is empty")
})

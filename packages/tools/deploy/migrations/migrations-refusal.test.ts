import { expect, test } from "vitest"

import { startProviderUnderTest } from "../testing/provider-under-test.ts"

const { proxy, provider, setUpDatabase } = await startProviderUnderTest()

const schema = "0000_schema.sql"
const plan = "0001_plan.sql"
const createTables = `CREATE TABLE user (id TEXT PRIMARY KEY, plan TEXT CHECK (plan IN ('free')));
CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT REFERENCES user (id) ON DELETE CASCADE);`
const rows = "INSERT INTO user VALUES ('u1', 'free'); INSERT INTO session VALUES ('s1', 'u1');"
const rebuildUser = `PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE __new_user (id TEXT PRIMARY KEY, plan TEXT CHECK (plan IN ('free', 'pro')));--> statement-breakpoint
INSERT INTO __new_user SELECT * FROM user;--> statement-breakpoint
DROP TABLE user;--> statement-breakpoint
ALTER TABLE __new_user RENAME TO user;--> statement-breakpoint
PRAGMA foreign_keys=ON;`
const moveKeys = `PRAGMA defer_foreign_keys = ON;
CREATE TABLE __old_user AS SELECT * FROM user;
UPDATE user SET id = 'moved:' || id;
DROP TABLE user;
CREATE TABLE user (id TEXT PRIMARY KEY, plan TEXT CHECK (plan IN ('free', 'pro')));
INSERT INTO user SELECT * FROM __old_user;
DROP TABLE __old_user;`
const declared = "-- accounts:loses user, all rows: the users are elsewhere now"
const refused =
  /0001_plan\.sql, statement 4 of 6 \(line 4: DROP TABLE user;\): rows of session are deleted .*database fix 0001_plan\.sql.*\nNo pending migration was sent\./

test("sent as it is, a rebuild of the table of users deletes every session", async () => {
  await using database = await setUpDatabase({ [schema]: createTables })
  await provider.create("Migrations", await database.inputs())
  await database.query(rows)
  await database.query(rebuildUser)
  expect(await database.query("SELECT id FROM user")).toEqual([{ id: "u1" }])
  expect(await database.query("SELECT id FROM session")).toEqual([])
})

test("the preview of such a file is refused, and so is its update: nothing is sent", async () => {
  await using database = await setUpDatabase({ [schema]: createTables })
  const oldInputs = await database.inputs()
  const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
  await database.query(rows)
  await database.write(plan, rebuildUser)
  const change = { id, olds, oldInputs, inputs: await database.inputs() }

  const before = proxy.seen.length
  await expect(provider.update("Migrations", change, { preview: true })).rejects.toThrow(refused)
  expect(proxy.seen).toHaveLength(before)
  await expect(provider.update("Migrations", change)).rejects.toThrow(refused)
  const bodies = proxy.seen.slice(before).map(({ body }) => body)
  expect(bodies.filter((body) => /CREATE|INSERT|DROP|UPDATE/.test(body))).toEqual([])
  expect(await database.query("SELECT id FROM session")).toEqual([{ id: "s1" }])

  await database.write(plan, moveKeys)
  const safe = { ...change, inputs: await database.inputs() }
  expect(await provider.update("Migrations", safe)).toMatchObject({ head: plan })
  expect(await database.query("SELECT id FROM session")).toEqual([{ id: "s1" }])
  expect(await database.query("PRAGMA foreign_key_check")).toEqual([])
})

test("the live schema decides, too: a table that no file made refers to the dropped one", async () => {
  await using database = await setUpDatabase({
    [schema]: "CREATE TABLE user (id TEXT PRIMARY KEY);",
  })
  const oldInputs = await database.inputs()
  const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
  await database.query(`CREATE TABLE badge (user_id TEXT REFERENCES user (id) ON DELETE SET NULL);
    INSERT INTO user VALUES ('u1'); INSERT INTO badge VALUES ('u1');`)
  await database.write(plan, `${declared}\nDROP TABLE user;`)
  const change = { id, olds, oldInputs, inputs: await database.inputs() }
  await provider.update("Migrations", change, { preview: true })
  await expect(provider.update("Migrations", change)).rejects.toThrow(/badge\.user_id is emptied/)
  expect(await database.query("SELECT user_id FROM badge")).toEqual([{ user_id: "u1" }])
})

test("files that are applied, and files for a database without tables, are not judged", async () => {
  await using database = await setUpDatabase({ [schema]: createTables, [plan]: rebuildUser })
  const inputs = await database.inputs()
  const { id, outputs } = await provider.create("Migrations", inputs)
  expect(outputs).toMatchObject({ head: plan })
  await database.query(
    "INSERT INTO user VALUES ('u1', 'pro'); INSERT INTO session VALUES ('s1', 'u1');",
  )
  const change = { id, olds: outputs, oldInputs: inputs, inputs }
  expect(await provider.update("Migrations", change)).toEqual(outputs)
  await provider.create("Migrations", inputs)
  expect(await database.query("SELECT id FROM session")).toEqual([{ id: "s1" }])
})

test("rows that go for good have to be declared, and the guard holds the file to it", async () => {
  await using database = await setUpDatabase({ [schema]: createTables })
  const oldInputs = await database.inputs()
  const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
  await database.query(`${rows} INSERT INTO session VALUES ('s2', 'u1');`)
  const update = async (sql: string, preview = false) => {
    await database.write(plan, sql)
    const change = { id, olds, oldInputs, inputs: await database.inputs() }
    return provider.update("Migrations", change, { preview })
  }
  const deletion = "DELETE FROM session WHERE id <> 's3';"
  await expect(update("DELETE FROM session;", true)).rejects.toThrow(
    /0001_plan\.sql, statement 1 of 1 .* a DELETE takes rows of session.*-- accounts:loses session, at most N rows: REASON/,
  )
  const tooFew = "-- accounts:loses session, at most 1 row: sessions of the trial"
  await expect(update(`${tooFew}\n${deletion}`)).rejects.toThrow(
    /0001_plan\.sql was not applied: the row guard failed it\. Nothing of it is in the database; its newest file is 0000_schema\.sql.*2 of the rows of session are not in session any more \(-- accounts:loses session, at most 2 rows: REASON\)/s,
  )
  expect(await database.query("SELECT id FROM session")).toHaveLength(2)
  const enough = "-- accounts:loses session, at most 2 rows: sessions of the trial"
  await update(`${enough}\n${deletion}`)
  expect(
    await database.query(
      "SELECT class, rows_before, oldest_worker, length(git_commit) > 0 AS committed, duration_ms >= 0 AS timed FROM accounts_migrations ORDER BY name",
    ),
  ).toEqual([
    { class: "expand", rows_before: null, oldest_worker: null, committed: 1, timed: 1 },
    {
      class: "destructive",
      rows_before: '{"session":2}',
      oldest_worker: null,
      committed: 1,
      timed: 1,
    },
  ])
})

test("an answer without rows for each question is no empty database", async () => {
  await using database = await setUpDatabase({ [schema]: createTables })
  const oldInputs = await database.inputs()
  const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
  await database.query(rows)
  await database.write(plan, "DELETE FROM session WHERE id <> 's3';")
  const change = { id, olds, oldInputs, inputs: await database.inputs() }
  const path = new RegExp(`${database.databaseId}/query`)
  const empty = { method: "POST", path, body: /sqlite_master/, fault: "empty before" } as const
  const noRows = "200 with rows of 0 statements for 4"
  proxy.inject(empty)
  await expect(provider.update("Migrations", change)).rejects.toThrow(noRows)
  expect(database.sent(plan)).toEqual([])
  expect(await database.query("SELECT id FROM session")).toEqual([{ id: "s1" }])

  proxy.inject(empty)
  const state = { id, outputs: olds, inputs: oldInputs }
  await expect(provider.read("Migrations", state)).rejects.toThrow(noRows)
})

test("a file that drops a name sets the oldest Worker from then on", async () => {
  const note = "0002_note.sql"
  await using database = await setUpDatabase({
    [schema]: createTables.replace("plan TEXT CHECK", "note TEXT, plan TEXT CHECK"),
    [plan]: "-- accounts:loses user.note: the notes are unused\nALTER TABLE user DROP COLUMN note;",
    [note]: "CREATE TABLE note (id TEXT);",
  })
  await provider.create("Migrations", await database.inputs())
  expect(
    await database.query(
      "SELECT name, class, oldest_worker FROM accounts_migrations ORDER BY name",
    ),
  ).toEqual([
    { name: schema, class: "expand", oldest_worker: null },
    // A database that was new had nothing to take.
    { name: plan, class: "contract", oldest_worker: plan },
    { name: note, class: "expand", oldest_worker: plan },
  ])
})

test("files after one that needs the rows are judged when it has run, before they are sent", async () => {
  const level = "CREATE TRIGGER note_level BEFORE INSERT ON note BEGIN SELECT 1; END;"
  await using database = await setUpDatabase({
    [schema]: `${createTables}\nCREATE TABLE note (id TEXT PRIMARY KEY);\n${level}`,
  })
  const oldInputs = await database.inputs()
  const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
  await database.query(rows)
  // The row cannot be added, because there is no user u1.
  await database.write(plan, "INSERT INTO session VALUES ('s9', 'u1');")
  const rebuild = "0002_rebuild.sql"
  const withoutTrigger = `CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT);
INSERT INTO __new_note (id) SELECT id FROM note; DROP TABLE note; ALTER TABLE __new_note RENAME TO note;`
  await database.write(rebuild, withoutTrigger)
  const change = { id, olds, oldInputs, inputs: await database.inputs() }
  const failure = await provider.update("Migrations", change).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    message: expect.stringMatching(/0002_rebuild\.sql, .*the trigger note_level of note is gone/),
    outputs: { head: plan },
  })
  expect(database.sent(rebuild)).toEqual([])
  await database.write(rebuild, `${withoutTrigger}\n${level}`)
  const corrected = { ...change, inputs: await database.inputs() }
  expect(await provider.update("Migrations", corrected)).toMatchObject({ head: rebuild })
})

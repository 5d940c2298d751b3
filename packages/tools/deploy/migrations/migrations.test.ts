import { wranglerProject } from "@accounts-stack/local/cloudflare/testing/wrangler"
import { unknownValue } from "@accounts-stack/pulumi-host/properties"
import { expect, test } from "vitest"
import * as z from "zod"

import { startProviderHere } from "../testing/provider-here.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"

const { proxy, provider, setUpDatabase, cloudflare, account } = await startProviderUnderTest()

const Restorable = z.object({ bookmark: z.string().min(1), restore: z.string() })

const user = "0000_user.sql"
const session = "0001_session.sql"
const note = "0002_note.sql"
const createUser = "CREATE TABLE user (id TEXT PRIMARY KEY);\nINSERT INTO user (id) VALUES ('u1');"
const createSession = "CREATE TABLE session (id TEXT PRIMARY KEY);\n"
const createNote = "CREATE TABLE note (id TEXT PRIMARY KEY)"

test("a new database gets every file, and a second run does nothing", async () => {
  await using database = await setUpDatabase({ [user]: createUser, [session]: createSession })
  const inputs = await database.inputs()
  const created = await provider.create("Migrations", inputs)
  const { bookmark, restore } = Restorable.parse(created.outputs)
  expect(restore).toBe(
    `wrangler d1 time-travel restore ${database.databaseId} --bookmark=${bookmark}`,
  )
  const expectedOutputs = { ...inputs, head: session, bookmark, restore }
  expect(created).toEqual({ id: database.databaseId, outputs: expectedOutputs })
  expect(await database.ledger()).toEqual([
    { name: user, digits: 64 },
    { name: session, digits: 64 },
  ])
  expect(provider.log).toContain(`${user} applied (2 statements)`)
  expect(provider.log).toContain(`${session} applied (1 statement)`)

  const { id, outputs } = created
  const change = { id, olds: outputs, oldInputs: inputs, inputs }
  expect(await provider.diff("Migrations", change)).toMatchObject({ changes: false, paths: [] })
  const before = proxy.seen.length
  expect(await provider.update("Migrations", change)).toEqual(outputs)
  const bodies = proxy.seen.slice(before).map(({ body }) => body)
  expect(bodies.filter((body) => /CREATE|INSERT|DROP/.test(body))).toEqual([])
})

test("a preview names the pending files and knows the head, and changes nothing", async () => {
  await using database = await setUpDatabase({ [user]: createUser, [session]: createSession })
  const inputs = await database.inputs()
  const before = proxy.seen.length
  const { outputs } = await provider.create("Migrations", inputs, { preview: true })
  const unknown = { bookmark: unknownValue, restore: unknownValue }
  expect(outputs).toEqual({ ...inputs, head: session, ...unknown })
  expect(provider.log).toContain(`pending: ${user}, ${session}`)
  expect(proxy.seen).toHaveLength(before)
})

test("an appended file is an update that names it, and only it is applied", async () => {
  await using database = await setUpDatabase({ [user]: createUser })
  const oldInputs = await database.inputs()
  const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
  await database.write(session, createSession)
  const inputs = await database.inputs()
  const diff = await provider.diff("Migrations", { olds, oldInputs, inputs })
  expect(diff).toEqual({ changes: true, paths: ["files[1]"], replaces: [] })
  const outputs = await provider.update("Migrations", { id, olds, oldInputs, inputs })
  expect(outputs).toMatchObject({ ...inputs, head: session })
  expect(await database.query("SELECT id FROM user")).toEqual([{ id: "u1" }])
})

test("another database is a replacement", async () => {
  await using database = await setUpDatabase({ [user]: createUser })
  const olds = await database.inputs()
  const inputs = { ...olds, databaseId: "another" }
  const diff = await provider.diff("Migrations", { olds, oldInputs: olds, inputs })
  expect(diff.replaces).toEqual(["databaseId"])
})

test("edited, missing and inserted files are rejected in the preview", async () => {
  await using database = await setUpDatabase({ [user]: createUser, [session]: createSession })
  const olds = await database.inputs()
  const preview = async () => {
    const change = { olds, oldInputs: olds, inputs: await database.inputs() }
    expect(await provider.diff("Migrations", change)).toMatchObject({ changes: true })
    return provider.update("Migrations", { id: database.databaseId, ...change }, { preview: true })
  }
  await database.write(user, `${createUser}\n-- edited`)
  await expect(preview()).rejects.toThrow(`${user} was edited after it had been applied`)
  await database.write(user, createUser)
  await database.remove(session)
  await expect(preview()).rejects.toThrow(`${session} is recorded as applied but is not among`)
  await database.write("0001_other.sql", createSession)
  await database.write("0002_session.sql", createSession)
  await expect(preview()).rejects.toThrow(`${session} is recorded as applied but is not among`)
})

test("a refresh adopts what an interrupted run applied, and the next run has nothing to do", async () => {
  await using database = await setUpDatabase({ [user]: createUser })
  const inputs = await database.inputs()
  const { id, outputs } = await provider.create("Migrations", inputs)
  await database.write(session, createSession)
  const further = await database.inputs()
  // As after an interrupted run: applied, but not in state.
  await provider.update("Migrations", { id, olds: outputs, oldInputs: inputs, inputs: further })
  const live = await provider.read("Migrations", { id, outputs, inputs })
  const olds = live?.outputs ?? {}
  expect(olds).toMatchObject({ head: session })
  // A refresh compares the live outputs with the inputs in state.
  const comparison = await provider.diff("Migrations", { olds, oldInputs: further, inputs })
  expect(comparison).toEqual({ changes: true, paths: ["files"], replaces: [] })
  const next = await provider.diff("Migrations", { olds, oldInputs: further, inputs: further })
  expect(next).toMatchObject({ changes: false })
})

test("the live ledger decides, not state: entries without a file are rejected", async () => {
  await using database = await setUpDatabase({ [user]: createUser, [session]: createSession })
  await provider.create("Migrations", await database.inputs())
  await database.write(user, `${createUser}\n-- edited`)
  const createdAgain = async () => provider.create("Migrations", await database.inputs())
  await expect(createdAgain()).rejects.toThrow(`${user} was edited after it had been applied`)
  await database.write(user, createUser)
  await database.query("INSERT INTO d1_migrations (name) VALUES ('0002_foreign.sql')")
  await expect(createdAgain()).rejects.toThrow("0002_foreign.sql is recorded as applied but is not")
  await database.query("DELETE FROM d1_migrations WHERE name <> '0000_user.sql'")
  await expect(createdAgain()).rejects.toThrow(
    `accounts_migrations records ${session} as applied but`,
  )
})

test("a failing file names its statement, leaves nothing, and keeps what came before it", async () => {
  const failing = `CREATE TABLE session (id TEXT PRIMARY KEY);
-- the next one fails
INSERT INTO session (id, colour) VALUES ('s1', 'red');
CREATE TABLE never (id TEXT);`
  await using database = await setUpDatabase({
    [user]: createUser,
    [session]: failing,
    [note]: createNote,
  })
  const inputs = await database.inputs()
  const failure = await provider.create("Migrations", inputs).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(failure).toMatchObject({
    message: expect.stringMatching(
      /^0001_session\.sql, statement 2 of 3 \(line 3: INSERT INTO session \(id, colour\) VALUES .*no column named colour.*Nothing of it is in the database; its newest file is 0000_user\.sql\. Correct the file/,
    ),
    id: database.databaseId,
    outputs: { head: user, files: [{ name: user, sha256: inputs.files[0]?.sha256 }] },
  })
  expect(await database.tables()).not.toMatch(/session|never|note|probe/)

  await database.write(session, createSession)
  const corrected = await database.inputs()
  const olds = { ...inputs, files: inputs.files.slice(0, 1), head: user }
  const change = { id: database.databaseId, olds, oldInputs: inputs, inputs: corrected }
  expect((await provider.diff("Migrations", change)).paths).toEqual(["files[1]", "files[2]"])
  expect(await provider.update("Migrations", change)).toMatchObject({ head: note })
})

test("a failure at the end of the whole file names no statement", async () => {
  const dangling = `PRAGMA defer_foreign_keys = ON;
CREATE TABLE child (id TEXT PRIMARY KEY, parent TEXT REFERENCES user (id));
INSERT INTO child (id, parent) VALUES ('c1', 'missing');`
  await using database = await setUpDatabase({ [user]: createUser, [session]: dangling })
  const creation = provider.create("Migrations", await database.inputs())
  await expect(creation).rejects.toThrow(/^0001_session\.sql was not applied: .*FOREIGN KEY/)
  expect(await database.tables()).not.toContain("child")
})

test("an edited file names the way out where rows may go, and nowhere else", async () => {
  await using database = await setUpDatabase({ [user]: createUser })
  const oldInputs = await database.inputs()
  const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
  await database.write(user, `${createUser}\n-- edited`)
  const inputs = await database.inputs()
  const change = { id, olds, oldInputs, inputs }
  const fresh = "npm start -- --fresh"
  const permanent = provider.update("Migrations", change)
  await expect(permanent).rejects.toThrow(/0000_user\.sql was edited[^]*into a new migration\.$/m)
  for (const preview of [true, false]) {
    const update = provider.update(
      "Migrations",
      { ...change, inputs: { ...inputs, fresh } },
      { preview },
    )
    await expect(update).rejects.toThrow(`without its rows: ${fresh}`)
  }
})

/** The real wrangler, whose migrations are those of the directory. */
async function openWrangler({
  name,
  databaseId,
  directory,
}: Record<"name" | "databaseId" | "directory", string>) {
  const binding = { binding: "DB", database_name: name, database_id: databaseId }
  const databases = [{ ...binding, migrations_dir: directory }]
  const config = { name: "test", compatibility_date: "2026-08-01", d1_databases: databases }
  const wrangler = await wranglerProject({ cloudflare, config, files: {} })
  const migrations = (command: "list" | "apply") =>
    wrangler.run(["d1", "migrations", command, "DB", "--remote"])
  return { migrations, [Symbol.asyncDispose]: () => wrangler[Symbol.asyncDispose]() }
}

function table(name: string) {
  return `CREATE TABLE ${name} (id TEXT PRIMARY KEY);\n`
}

const definition = "SELECT sql FROM sqlite_master WHERE name = 'd1_migrations'"

test("wrangler and this provider share one ledger: each continues where the other stopped", async () => {
  await using database = await setUpDatabase({ [user]: table("user") })
  const first = await provider.create("Migrations", await database.inputs())
  expect(first.outputs).toMatchObject({ head: user })

  await using wrangler = await openWrangler(database)
  expect(await wrangler.migrations("list")).toContain("No migrations to apply")
  await database.write(session, table("session"))
  expect(await wrangler.migrations("apply")).toContain(session)

  await database.write(note, table("note"))
  const inputs = await database.inputs()
  const change = { id: first.id, olds: first.outputs, oldInputs: first.outputs, inputs }
  expect(await provider.update("Migrations", change)).toMatchObject({ head: note })
  expect(provider.log.join("\n")).toContain(`checksum recorded as the file is now: ${session}`)
  expect(await wrangler.migrations("list")).toContain("No migrations to apply")
  expect(await database.ledger()).toEqual(
    [user, session, note].map((name) => ({ name, digits: 64 })),
  )

  await using otherDatabase = await setUpDatabase({ [user]: table("user") })
  await using otherWrangler = await openWrangler(otherDatabase)
  await otherWrangler.migrations("apply")
  expect(await database.query(definition)).toEqual(await otherDatabase.query(definition))
})

const clean = "0001_clean.sql"
const declared = "-- accounts:loses user, at most 1 row: only test users were registered"

test("the bookmark before a file is said and recorded, and leads back to its rows", async () => {
  await using database = await setUpDatabase({ [user]: "CREATE TABLE user (id TEXT PRIMARY KEY);" })
  const oldInputs = await database.inputs()
  const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
  await database.query("INSERT INTO user VALUES ('u1')")
  await database.write(clean, `${declared}\nDELETE FROM user;`)
  const change = { id, olds, oldInputs, inputs: await database.inputs() }
  await provider.update("Migrations", change)
  expect(await database.query("SELECT id FROM user")).toEqual([])

  const bookmarkLine =
    provider.log.find((line) => line.startsWith(`before ${clean}: bookmark`)) ?? ""
  const [, databaseId, bookmark = ""] = /restore (\S+) --bookmark=(\S+)$/.exec(bookmarkLine) ?? []
  expect(databaseId).toBe(database.databaseId)
  expect(
    await database.query(`SELECT bookmark FROM accounts_migrations WHERE name = '${clean}'`),
  ).toEqual([{ bookmark }])
  await account.call("POST", `/d1/database/${databaseId}/time_travel/restore?bookmark=${bookmark}`)
  expect(await database.query("SELECT id FROM user")).toEqual([{ id: "u1" }])
  expect(await database.ledger()).toEqual([{ name: user, digits: 64 }])
})

test("a database from before bookmarks were recorded gets the column", async () => {
  await using database = await setUpDatabase({ [user]: "CREATE TABLE user (id TEXT PRIMARY KEY);" })
  await database.query(
    "CREATE TABLE accounts_migrations (name TEXT PRIMARY KEY NOT NULL, sha256 TEXT NOT NULL)",
  )
  await provider.create("Migrations", await database.inputs())
  expect(
    await database.query("SELECT name FROM accounts_migrations WHERE bookmark IS NOT NULL"),
  ).toEqual([{ name: user }])
})

test("a sidecar of the former form gets every column, and keeps its rows", async () => {
  await using database = await setUpDatabase({ [user]: "CREATE TABLE user (id TEXT PRIMARY KEY);" })
  const inputs = await database.inputs()
  await provider.create("Migrations", inputs)
  await database.query(`CREATE TABLE former (name TEXT PRIMARY KEY NOT NULL, sha256 TEXT NOT NULL, bookmark TEXT);
    INSERT INTO former SELECT name, sha256, bookmark FROM accounts_migrations;
    DROP TABLE accounts_migrations; ALTER TABLE former RENAME TO accounts_migrations;`)
  await database.write(clean, "ALTER TABLE user ADD COLUMN name TEXT;")
  await provider.create("Migrations", await database.inputs())
  expect(await database.ledger()).toEqual([user, clean].map((name) => ({ name, digits: 64 })))
  expect(await database.query("SELECT name, class FROM accounts_migrations ORDER BY name")).toEqual(
    [
      { name: user, class: null },
      { name: clean, class: "expand" },
    ],
  )
})

test("a database of the commit before is left as it is while nothing is pending", async () => {
  await using database = await setUpDatabase({ [user]: "CREATE TABLE user (id TEXT PRIMARY KEY);" })
  const inputs = await database.inputs()
  const { outputs: olds } = await provider.create("Migrations", inputs)
  await database.query("ALTER TABLE accounts_migrations DROP COLUMN schema_sum")
  const content = async () => [
    await database.query("SELECT sql FROM sqlite_master ORDER BY name"),
    await database.query("SELECT * FROM accounts_migrations"),
  ]
  const before = await content()
  const diff = await provider.diff("Migrations", { olds, oldInputs: inputs, inputs })
  expect(diff).toMatchObject({ changes: false, paths: [] })
  await provider.create("Migrations", inputs)
  expect(await content()).toEqual(before)
})

test("without a bookmark no file is applied", async () => {
  await using database = await setUpDatabase({ [user]: "CREATE TABLE user (id TEXT PRIMARY KEY);" })
  proxy.inject({ method: "GET", path: /time_travel\/bookmark/, fault: "500 before", times: 4 })
  await expect(provider.create("Migrations", await database.inputs())).rejects.toThrow("bookmark")
  expect(await database.tables()).not.toContain("user")
})

test("pulumi's own operations stop at a permanent database that is gone, before another one is made", async () => {
  await using database = await setUpDatabase({ [user]: createUser })
  const inputs = await database.inputs()
  const { id, outputs } = await provider.create("Migrations", inputs)
  const { token } = cloudflare
  await using plain = await startProviderHere({ baseUrl: proxy.url, token, ofEngine: true })
  const state = { id, outputs, inputs }
  expect(await plain.read("Migrations", state)).toMatchObject({ id })
  await account.call("DELETE", `/d1/database/${database.databaseId}`)
  await expect(plain.read("Migrations", state)).rejects.toThrow(
    new RegExp(`${database.databaseId} of this permanent environment is gone.*--recreate-database`),
  )
  // Commands look at the plan, and ask for its name.
  expect(await provider.read("Migrations", state)).toBeUndefined()
  const stateWithFresh = { ...state, inputs: { ...inputs, fresh: "./accounts branch up --fresh" } }
  expect(await plain.read("Migrations", stateWithFresh)).toBeUndefined()
})

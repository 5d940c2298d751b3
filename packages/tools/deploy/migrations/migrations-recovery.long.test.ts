import { applyMigrations } from "@accounts-stack/d1-migrations"
import { afterAll, expect, test } from "vitest"

import { openDatabase, readMigrations } from "../../environment/own-names.ts"
import { createApi } from "../api.ts"
import { openAccount } from "../testing/account.ts"
import { setUpDatabase } from "../testing/database-under-test.ts"
import { startFaultProxy } from "../testing/fault-proxy.ts"
import { startLocalCloudflare } from "../testing/local-cloudflare.ts"
import { startProviderHere } from "../testing/provider-here.ts"
import { startProvider } from "../testing/provider-process.ts"

const cloudflare = await startLocalCloudflare()
const { token } = cloudflare
const account = openAccount(cloudflare)
const proxy = await startFaultProxy(cloudflare.api)
const provider = await startOwnProvider()
// Runs of other machines. Nothing kills them, and each test has a database of its own.
const second = await startOwnProvider()
const third = await startOwnProvider()
afterAll(async () => {
  for (const startedProvider of [provider, second, third]) {
    await startedProvider[Symbol.asyncDispose]()
  }
  await proxy[Symbol.asyncDispose]()
  await cloudflare[Symbol.asyncDispose]()
})
function startOwnProvider() {
  return startProvider({ baseUrl: proxy.url, token })
}

/** Returns what each of them has logged since. */
function listen(...providers: { log: string[] }[]): () => string[][] {
  const heard = providers.map(({ log }) => log.length)
  return () => providers.map(({ log }, index) => log.slice(heard[index]))
}

const user = "0000_user.sql"
const session = "0001_session.sql"
const createUser = "CREATE TABLE user (id TEXT PRIMARY KEY);\nINSERT INTO user (id) VALUES ('u1');"
const createSession = "CREATE TABLE session (id TEXT PRIMARY KEY);\n"

function setUp(files: Record<string, string>) {
  return setUpDatabase({ cloudflare, account, proxy }, files)
}

test("a database that does not undo a failed request gets no migration", async () => {
  await using database = await setUp({ [user]: createUser })
  database.failTrial("piecemeal")
  const creation = provider.create("Migrations", await database.inputs())
  await expect(creation).rejects.toThrow(/does not undo a failed request.*none was applied/)
  expect(await database.tables()).not.toMatch(/user|probe/)
})

test("a provider killed while it sends a file can be run again", async () => {
  await using database = await setUp({ [user]: createUser, [session]: createSession })
  const inputs = await database.inputs()
  await using first = await startOwnProvider()
  database.fail(user, "hang after")
  const interrupted = first.create("Migrations", inputs).then(
    () => "created",
    () => "interrupted",
  )
  await expect.poll(() => database.sent(user)).toHaveLength(1)
  await expect.poll(database.tables).toContain("user")
  await first.kill()
  expect(await interrupted).toBe("interrupted")

  const { outputs } = await provider.create("Migrations", inputs)
  expect(outputs).toMatchObject({ head: session })
  expect(database.sent(user)).toHaveLength(1)
  expect(await database.query("SELECT id FROM user")).toEqual([{ id: "u1" }])
})

test("after a timeout the ledger decides whether a file was applied", async () => {
  await using database = await setUp({ [user]: createUser, [session]: createSession })
  database.fail(user, "hang after")
  const lines: string[] = []
  const log = { info: (line: string) => void lines.push(line), warn: () => undefined }
  const api = createApi({ baseUrl: proxy.url, token, writeTimeout: 5000 })
  const { accountId, databaseId } = await database.inputs()
  const files = await readMigrations(database.directory)
  await applyMigrations({ database: openDatabase({ api, accountId, databaseId }), files, log })
  expect(lines).toEqual([
    `${user} is in the ledger although its answer did not tell`,
    `${user} applied (2 statements)`,
    `${session} applied (1 statement)`,
  ])
})

test("a second stack on the same database applies nothing again, and logs that", async () => {
  await using database = await setUp({ [user]: createUser, [session]: createSession })
  const inputs = await database.inputs()
  const logged = listen(second)
  await provider.create("Migrations", { ...inputs, scriptName: "first-worker" })
  const later = await second.create("Migrations", { ...inputs, scriptName: "second-worker" })
  expect(later.outputs).toMatchObject({ head: session })
  const lines = logged().flat()
  expect(lines).toContain(`nothing to apply: the database has all 2 files up to ${session}`)
  expect(lines.join("\n")).not.toMatch(/applied \(\d/)
  expect([database.sent(user), database.sent(session)].map(({ length }) => length)).toEqual([1, 1])
})

test("two stacks at once on one database apply every file once, and the second logs that", async () => {
  const deletion = `-- accounts:loses user, at most 1 row: the user of the trial\nDELETE FROM user WHERE id = 'u1';`
  await using database = await setUp({ [user]: createUser })
  const first = { ...(await database.inputs()), scriptName: "first-worker" }
  await provider.create("Migrations", first)
  await database.write(session, deletion)
  const inputs = await database.inputs()
  const logged = listen(second, third)
  const path = new RegExp(`${database.databaseId}/query`)
  const sentCount = () => database.sent(session).length
  // The run that sends the file first waits until the other run sends it as well.
  const untilBothSend = async () => expect.poll(sentCount, { timeout: 120_000 }).toBeGreaterThan(1)
  proxy.inject({
    method: "POST",
    path,
    body: /VALUES \('0001_session\.sql'\)/,
    first: untilBothSend,
  })
  const runs = await Promise.all([
    second.create("Migrations", { ...inputs, scriptName: "first-worker" }),
    third.create("Migrations", { ...inputs, scriptName: "second-worker" }),
  ])
  expect(runs.map(({ outputs }) => outputs["head"])).toEqual([session, session])
  expect(await database.query("SELECT id FROM user")).toEqual([])
  expect(await database.ledger()).toEqual([user, session].map((name) => ({ name, digits: 64 })))
  const lines = logged().map((log) => log.filter((line) => line.startsWith(session)))
  expect(lines.flat().toSorted()).toEqual([
    `${session} applied (1 statement)`,
    `${session} was applied by another run at the same time, and not again`,
  ])
})

test("three runs at once apply every file once, and the late ones log that", async () => {
  await using database = await setUp({ [user]: createUser, [session]: createSession })
  const inputs = await database.inputs()
  // The run that sends the file first waits until another run has applied it.
  const path = new RegExp(`${database.databaseId}/query`)
  const first = async () => expect.poll(database.tables, { timeout: 60_000 }).toContain("user")
  proxy.inject({ method: "POST", path, body: /VALUES \('0000_user\.sql'\)/, first })
  const runs = [provider, second, third]
  const logged = listen(...runs)
  const results = await Promise.all(runs.map((run) => run.create("Migrations", inputs)))
  expect(results.map(({ outputs }) => outputs["head"])).toEqual([session, session, session])
  expect(await database.query("SELECT id FROM user")).toEqual([{ id: "u1" }])
  expect(await database.ledger()).toEqual([user, session].map((name) => ({ name, digits: 64 })))
  const lines = logged().flat()
  const sentCount = database.sent(user).length
  const late = `${user} was applied by another run at the same time, and not again`
  expect(sentCount).toBeGreaterThan(1)
  expect(lines.filter((line) => line === late)).toHaveLength(sentCount - 1)
})

test("a file that changes between plan and apply is not applied", async () => {
  await using database = await setUp({ [user]: createUser })
  const inputs = await database.inputs()
  await database.write(user, `${createUser}\nINSERT INTO user (id) VALUES ('u2');`)
  const creation = provider.create("Migrations", inputs)
  await expect(creation).rejects.toThrow(`${user} in ${database.directory} changed after`)
  expect(await database.tables()).not.toContain("user")
})

test("a file that another tool applied is adopted with a checksum and protected from then on", async () => {
  await using database = await setUp({ [user]: createUser, [session]: createSession })
  await database.query(`CREATE TABLE "d1_migrations"(id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`)
  await database.query(`${createUser}; INSERT INTO d1_migrations (name) VALUES ('${user}')`)
  const inputs = await database.inputs()
  await provider.create("Migrations", inputs)
  expect(await database.query("SELECT id FROM user")).toEqual([{ id: "u1" }])
  expect(await database.ledger()).toEqual([
    { name: user, digits: 64 },
    { name: session, digits: 64 },
  ])
  await database.write(user, `${createUser}\n-- edited`)
  const secondRun = provider.create("Migrations", await database.inputs())
  await expect(secondRun).rejects.toThrow(`${user} was edited`)
})

test("refresh reads the live ledger: it shows drift, and the next run repairs it", async () => {
  await using database = await setUp({ [user]: createUser, [session]: createSession })
  const inputs = await database.inputs()
  const { id, outputs } = await provider.create("Migrations", inputs)
  expect(await provider.read("Migrations", { id, outputs, inputs })).toEqual({
    id,
    outputs,
    inputs,
  })

  await database.query(`DROP TABLE session; DELETE FROM d1_migrations WHERE name = '${session}';
    DELETE FROM accounts_migrations WHERE name = '${session}'`)
  const drifted = await provider.read("Migrations", { id, outputs, inputs })
  expect(drifted?.outputs).toMatchObject({ head: user, files: [{ name: user }] })
  const olds = drifted?.outputs ?? {}
  const change = { id, olds, oldInputs: drifted?.inputs ?? {}, inputs }
  expect((await provider.diff("Migrations", change)).paths).toEqual(["files[1]"])
  expect(await provider.update("Migrations", change)).toMatchObject({ ...inputs, head: session })
  expect(await database.tables()).toContain("session")
})

test("a preview's deleted database is gone from state, and an unreadable one is an error", async () => {
  await using database = await setUp({ [user]: createUser })
  // No stack file of a permanent environment gives this input.
  const inputs = { ...(await database.inputs()), fresh: "./accounts branch up --fresh" }
  const { id, outputs } = await provider.create("Migrations", inputs)
  await account.call("DELETE", `/d1/database/${database.databaseId}`)
  expect(await provider.read("Migrations", { id, outputs, inputs })).toBeUndefined()
  await using unauthorised = await startProviderHere({ baseUrl: proxy.url, token: "wrong" })
  await expect(unauthorised.read("Migrations", { id, outputs, inputs })).rejects.toThrow(/40[013]/)
})

test("Windows line endings reach the database as \\n", async () => {
  const windows = "CREATE TABLE user (id TEXT);\r\nINSERT INTO user (id) VALUES ('a\r\nb');\r\n"
  await using database = await setUp({ [user]: windows })
  await provider.create("Migrations", await database.inputs())
  expect(await database.query("SELECT id FROM user")).toEqual([{ id: "a\nb" }])
})

test("the token is in no log, no output and no state", async () => {
  await using database = await setUp({ [user]: createUser, [session]: "SELECT nothing;" })
  const creation = provider.create("Migrations", await database.inputs())
  await expect(creation).rejects.toThrow(session)
  expect([...provider.log, ...provider.output].join("\n")).not.toContain(token)
})

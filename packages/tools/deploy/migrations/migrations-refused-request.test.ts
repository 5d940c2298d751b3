import { startFaultServer } from "@accounts-stack/local/fault-server"
import { afterAll, beforeEach, expect, test } from "vitest"

import { openAccount } from "../testing/account.ts"
import { setUpDatabase } from "../testing/database-under-test.ts"
import { startFaultProxy } from "../testing/fault-proxy.ts"
import { startProviderHere } from "../testing/provider-here.ts"

const cloudflare = await startFaultServer()
const account = openAccount(cloudflare)
const proxy = await startFaultProxy(cloudflare.api)
const provider = await startProviderHere({ baseUrl: proxy.url, token: cloudflare.token })
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await cloudflare[Symbol.asyncDispose]()
})
beforeEach(() => cloudflare.inject())

const user = "0000_user.sql"
const session = "0001_session.sql"
const createUser = "CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT);"
const trial = "CREATE TABLE d1_migrations_atomicity_probe"

function setUp(files: Record<string, string>) {
  return setUpDatabase({ cloudflare, account, proxy }, files)
}

/** `contains` is text of the one request to refuse, however often it is sent. */
function refuse(contains: string, status: number) {
  // Longer than a run waits.
  const headers = status === 429 ? { "retry-after": "3600" } : {}
  return cloudflare.inject({
    match: { surface: "api", method: "POST", contains },
    when: { times: 10 },
    action: { type: "status", status, code: 10_000, message: "refused", headers },
  })
}

const refusals = [
  [401, "permission D1:Edit"],
  [403, "permission D1:Edit"],
  [413, "split the file in two"],
  [429, "wait, and run again"],
] as const

test.each(refusals)("a trial that is refused with %s proves nothing", async (status, advice) => {
  await using database = await setUp({ [user]: createUser })
  await refuse(trial, status)
  const inputs = await database.inputs()
  await expect(provider.create("Migrations", inputs)).rejects.toThrow(
    new RegExp(
      `refused a harmless trial request: .*${status}.*No migration was applied.*${advice}`,
    ),
  )
  expect(await database.tables()).not.toContain("user")
  await cloudflare.inject()
  await provider.create("Migrations", inputs)
})

test.each(refusals)("a file refused with %s is not called wrong", async (status, advice) => {
  await using database = await setUp({ [user]: createUser })
  await refuse("VALUES ('0000_user.sql')", status)
  const inputs = await database.inputs()
  const message = await provider.create("Migrations", inputs).then(
    () => "created",
    (error: unknown) => String(error),
  )
  expect(message).toMatch(/0000_user\.sql was not applied: .*before any of the file ran/)
  expect(message).toContain(advice)
  expect(message).not.toMatch(/Correct the file|statement \d/)
  await cloudflare.inject()
  await provider.create("Migrations", inputs)
})

test.each([
  [
    "SQL",
    "CREATE TABLE a (id);\nSELECT 1;\nSELECT nothing;\nSELECT 2;",
    /statement 3 of 4 \(line 3/,
  ],
  ["rows", "SELECT 1;\nCREATE UNIQUE INDEX by_email ON user (email);", /statement 2 of 2 \(line 2/],
  [
    "rows",
    "INSERT INTO user (id) VALUES ('u3');\nINSERT INTO user (id) VALUES ('u1');",
    /^0001_session\.sql was not/,
  ],
  ["what D1 refuses", "SELECT 1; PRAGMA writable_schema = ON;", /statement 2 of 2/],
  ["a transaction of its own", "SELECT 1; BEGIN; SELECT 2; COMMIT;", /statement 2 of 4/],
])("a file that fails by %s is located without running again", async (_by, sql, place) => {
  await using database = await setUp({ [user]: createUser })
  const oldInputs = await database.inputs()
  const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
  await database.query("INSERT INTO user VALUES ('u1', 'a@example.com'), ('u2', 'a@example.com')")
  await database.write(session, sql)
  const change = { id, olds, oldInputs, inputs: await database.inputs() }
  const before = proxy.seen.length
  await expect(provider.update("Migrations", change)).rejects.toThrow(place)
  const last = sql.split(/[;\n]+/).findLast((statement) => statement.trim() !== "") ?? ""
  const requests = proxy.seen.slice(before).filter(({ body }) => body.includes(last.trim()))
  expect(requests).toHaveLength(1)
})

import { expect, test } from "vitest"

import { setUpDatabase } from "../testing/database-under-test.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { schemaUseBinding, writeSchemaUse } from "../version/schema-use.ts"

const { cloudflare, proxy, provider, account, setUpWorker } = await startProviderUnderTest()

const schema = "0000_schema.sql"
const change = "0001_change.sql"
const tables = `CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT NOT NULL, note TEXT);
CREATE TABLE badge (id TEXT PRIMARY KEY);`
const allColumns = { user: ["id", "email", "note"], badge: ["id"] }
const withoutNote = { user: ["id", "email"], badge: ["id"] }
const dropNote =
  "-- accounts:loses user.note: the notes are unused\nALTER TABLE user DROP COLUMN note;"
const steps =
  /One release cannot do both .* release the version that no longer uses it first, without this file/

/** A migrated database with a row, and a Worker whose versions say what they use of it. */
async function setUp({ protectLive = true } = {}) {
  const worker = await setUpWorker()
  const database = await setUpDatabase(
    { cloudflare, account, proxy },
    { [schema]: tables },
    worker.scriptName,
  )
  const oldInputs = { ...(await database.inputs()), protectLive }
  const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
  await database.query("INSERT INTO user VALUES ('u1', 'a@example.com', 'n')")
  return {
    ...worker,
    ...database,
    /** Uploads a version that uses these columns. */
    using: (uses: Record<string, string[]>, head = schema) => {
      const text = writeSchemaUse({ head, tables: uses })
      return worker.upload("well", [{ type: "plain_text", name: schemaUseBinding, text }])
    },
    async migrate(
      sql: string,
      options: { preview?: boolean; own?: Record<string, string[]> } = {},
    ) {
      await database.write(change, sql)
      const { preview = false, own } = options
      const declared = { ...(await database.inputs()), protectLive }
      const inputs =
        own === undefined
          ? declared
          : { ...declared, schemaUse: writeSchemaUse({ head: change, tables: own }) }
      return provider.update("Migrations", { id, olds, oldInputs, inputs }, { preview })
    },
    columns: async () =>
      (await database.query("SELECT name FROM pragma_table_info('user')")).length,
  }
}

test("a file that takes a column away is refused while a version with traffic uses it", async () => {
  await using service = await setUp()
  const version = await service.using(allColumns)
  await service.deploy({ [version]: 100 })
  const reason = new RegExp(
    `0001_change\\.sql takes user\\.note away, and version ${version}, which has 100 % of the traffic, uses it \\(built for 0000_schema\\.sql\\)`,
  )
  for (const preview of [true, false]) {
    const refused = service.migrate(dropNote, { preview, own: withoutNote })
    await expect(refused).rejects.toThrow(reason)
    await expect(refused).rejects.toThrow(steps)
  }
  expect(service.sent(change)).toEqual([])
  expect(await service.columns()).toBe(3)

  const next = await service.using(withoutNote)
  await service.deploy({ [next]: 100 })
  expect(await service.migrate(dropNote, { own: withoutNote })).toMatchObject({ head: change })
  expect(await service.columns()).toBe(2)
  expect(provider.log).toContain(
    `0001_change.sql takes user.note away: version ${version}, which served before, can then no longer be rolled back to`,
  )
})

test("any share of the traffic counts, and a version on trial without traffic does not", async () => {
  await using service = await setUp()
  const formerVersion = await service.using(allColumns)
  const next = await service.using(withoutNote)
  await service.deploy({ [formerVersion]: 1, [next]: 99 })
  await expect(service.migrate(dropNote)).rejects.toThrow(
    `${formerVersion}, which has 1 % of the traffic`,
  )
  await service.deploy({ [formerVersion]: 0, [next]: 100 })
  expect(await service.migrate(dropNote)).toMatchObject({ head: change })
})

test.each([
  [
    "a table",
    "-- accounts:loses badge, all rows: badges are unused\nDROP TABLE badge;",
    "takes badge away",
  ],
  ["a name", "ALTER TABLE user RENAME COLUMN note TO remark;", "takes user.note away"],
  [
    "an INSERT",
    "-- accounts:loses badge, all rows: badges are unused\nDROP TABLE badge;\nCREATE TABLE badge (id TEXT PRIMARY KEY, kind TEXT NOT NULL);",
    "adds badge.kind (NOT NULL without a default)",
  ],
])("what takes %s from a live version is refused", async (_what, sql, reason) => {
  await using service = await setUp()
  await service.deploy({ [await service.using(allColumns)]: 100 })
  await expect(service.migrate(sql)).rejects.toThrow(reason)
  expect(service.sent(change)).toEqual([])
})

test("a file that drops what no version uses is applied, and one that only adds reads no version", async () => {
  await using service = await setUp()
  await service.deploy({ [await service.using(withoutNote)]: 100 })
  const before = proxy.seen.length
  await service.migrate("CREATE TABLE more (id TEXT PRIMARY KEY);", { preview: true })
  expect(proxy.seen).toHaveLength(before)
  expect(await service.migrate(dropNote)).toMatchObject({ head: change })
})

test("rules that a live version does not know are said, and refuse nothing", async () => {
  await using service = await setUp()
  const version = await service.using(allColumns)
  await service.deploy({ [version]: 100 })
  const rule = "CREATE UNIQUE INDEX user_email ON user (email);"
  const expectedWarning = `0001_change.sql adds rules that version ${version}, which has 100 % of the traffic, does not know (built for 0000_schema.sql): unique of user (email).`
  await service.migrate(rule, { preview: true })
  expect(provider.log.join("\n")).toContain(expectedWarning)
  expect(await service.migrate(rule)).toMatchObject({ head: change })
})

test("a rule over columns that no live version knows is no matter of theirs", async () => {
  await using service = await setUp()
  const version = await service.using(allColumns)
  await service.deploy({ [version]: 100 })
  await service.migrate(
    "ALTER TABLE user ADD COLUMN phone TEXT; CREATE UNIQUE INDEX user_phone ON user (phone);",
  )
  expect(provider.log.filter((line) => line.includes(version))).toEqual([])
})

test("of a version without a record nothing is known, so nothing is taken from it", async () => {
  await using service = await setUp()
  const unknown = await service.upload("well")
  await service.deploy({ [unknown]: 100 })
  await expect(service.migrate(dropNote)).rejects.toThrow(
    `version ${unknown}, which has 100 % of the traffic, does not say what it uses`,
  )
  expect(await service.migrate("ALTER TABLE user ADD COLUMN age INTEGER;")).toMatchObject({
    head: change,
  })
})

test("a release that drops what its own version uses is refused, in any environment", async () => {
  await using service = await setUp({ protectLive: false })
  const refused = service.migrate(dropNote, { own: allColumns })
  await expect(refused).rejects.toThrow(
    "0001_change.sql takes user.note away, and the version of this release itself uses it: take it out of the tables in the code",
  )
  const missing = service.migrate("CREATE TABLE more (id TEXT);", {
    own: { ...allColumns, other: ["id"] },
  })
  await expect(missing).rejects.toThrow(
    /does not fit the schema that 0001_change\.sql leaves: other\. Write the migration/,
  )
  expect(service.sent(change)).toEqual([])
})

test("if live versions are not protected, what they will miss is only logged", async () => {
  await using service = await setUp({ protectLive: false })
  const version = await service.using(allColumns)
  await service.deploy({ [version]: 100 })
  expect(await service.migrate(dropNote, { own: withoutNote })).toMatchObject({ head: change })
  expect(provider.log.join("\n")).toMatch(
    new RegExp(`takes user\\.note away, and version ${version}.*It is applied here anyway`),
  )
})

test("without an answer about the live versions no file that takes a name away is sent", async () => {
  await using service = await setUp()
  await service.deploy({ [await service.using(withoutNote)]: 100 })
  const path = new RegExp(`/scripts/${service.scriptName}/deployments$`)
  proxy.inject({ method: "GET", path, fault: "500 before", times: 100 })
  await expect(service.migrate(dropNote)).rejects.toThrow(/deployments/)
  expect(service.sent(change)).toEqual([])
})

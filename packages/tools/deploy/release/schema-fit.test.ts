import { expect, test } from "vitest"

import type { Behaviour } from "../testing/account.ts"
import { setUpDatabase } from "../testing/database-under-test.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"
import { trialTimeout } from "../testing/worker-under-test.ts"
import { schemaUseBinding, writeSchemaUse } from "../version/schema-use.ts"

const { cloudflare, proxy, provider, account, setUpWorker } = await startProviderUnderTest()

const first = "0000_first.sql"
const second = "0001_second.sql"
const withNote = { user: ["id", "note"] }
const withoutNote = { user: ["id"] }

/** A database whose newest migration took a column away, and a Worker that uses it. */
async function setUp() {
  const worker = await setUpWorker()
  const database = await setUpDatabase(
    { cloudflare, account, proxy },
    {
      [first]: "CREATE TABLE user (id TEXT PRIMARY KEY, note TEXT);",
      [second]:
        "-- accounts:loses user.note: the notes are unused\nALTER TABLE user DROP COLUMN note;",
    },
  )
  await provider.create("Migrations", await database.inputs())
  const { databaseId } = database
  return {
    ...worker,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    query: database.query,
    databaseId,
    upload(
      head: string,
      tables: Record<string, string[]>,
      behaviour: Behaviour = "well",
      bound = databaseId,
    ) {
      const text = writeSchemaUse({ head, tables })
      return worker.upload(behaviour, [
        { type: "d1", name: "DB", database_id: bound },
        { type: "plain_text", name: schemaUseBinding, text },
      ])
    },
    unrecorded: () => worker.upload("well", [{ type: "d1", name: "DB", database_id: databaseId }]),
  }
}

test.each([
  [
    "uses what a migration has dropped",
    first,
    withNote,
    /it uses user\.note, which the schema has not: it was built for 0000_first\.sql, and the database stands at 0001_second\.sql/,
  ],
  [
    "uses what no file brings",
    second,
    withNote,
    /database stands at 0001_second\.sql\. Write the migration for it \(npm run migration -- --name NAME\)\. Nothing/,
  ],
  [
    "needs a newer schema",
    "0002_third.sql",
    withoutNote,
    /it was built for 0002_third\.sql, and its database stands at 0001_second\.sql: apply the migrations first/,
  ],
] as const)(
  "a version that %s is refused before anything moves",
  async (_what, head, uses, reason) => {
    await using service = await setUp()
    const live = await service.upload(second, withoutNote)
    const version = await service.upload(head, uses)
    const release = service.update(live, version)
    await expect(release).rejects.toThrow(reason)
    await expect(release).rejects.toThrow("Nothing was changed.")
    expect(await service.shares()).toEqual([{ [live]: 100 }])
  },
)

test("the first release of all is refused, too, if its version does not fit", async () => {
  await using service = await setUp()
  const version = await service.upload(first, withNote)
  await expect(service.create(version)).rejects.toThrow(
    /does not fit the schema: it uses user\.note/,
  )
  expect(await service.shares()).toEqual([])
})

test("a version that does not know a column which every INSERT must name is refused", async () => {
  await using service = await setUp()
  await service.query(
    "DROP TABLE user; CREATE TABLE user (id TEXT PRIMARY KEY, age INTEGER NOT NULL)",
  )
  const version = await service.upload(second, withoutNote)
  await expect(service.create(version)).rejects.toThrow(
    /it does not know user\.age \(NOT NULL without a default\)/,
  )
})

test("a version from before a drop that does not use what was dropped is left to its trial", async () => {
  await using service = await setUp()
  const version = await service.upload(first, withoutNote)
  expect((await service.create(version)).outputs).toMatchObject({ versionId: version })
})

test("of a version that does not say what it uses only the trial can tell", async () => {
  await using service = await setUp()
  const version = await service.unrecorded()
  expect((await service.create(version)).outputs).toMatchObject({ versionId: version })
  expect(provider.log).toContain(
    `whether version ${version} fits the schema is unknown (it does not say what it uses): its trial decides`,
  )
})

test("of a version that Cloudflare does not show only the trial can tell", async () => {
  await using service = await setUp()
  const [live, version] = [
    await service.unrecorded(),
    await service.upload(first, withNote, "ahead"),
  ]
  const path = new RegExp(`/versions/${version}$`)
  using _hidden = proxy.injectAll([{ method: "GET", path, fault: "10007 before", times: 100 }])
  await expect(service.update(live, version)).rejects.toThrow(
    /a migration since, up to 0003_d\.sql/,
  )
  expect(provider.log).toContain(
    `whether version ${version} fits the schema is unknown (Cloudflare does not show it): its trial decides`,
  )
  expect((await service.shares())[0]).toEqual({ [live]: 100 })
})

test("a release that fails gives no traffic back to a version that does not fit", async () => {
  await using service = await setUp()
  const formerVersion = await service.upload(first, withNote)
  const next = await service.upload(second, withoutNote, "sick at 100 %")
  await service.deploy({ [formerVersion]: 100 })
  const release = provider.create("Release", service.inputs(next), { timeout: trialTimeout })
  await expect(release).rejects.toThrow(
    new RegExp(
      `What served before was not restored: version ${formerVersion} does not fit the schema: it uses user\\.note.*Live is ${next} at 100 %`,
    ),
  )
  expect((await service.shares())[0]).toEqual({ [next]: 100 })
  expect(provider.log.join("\n")).toContain(
    `version ${formerVersion} does not fit the schema: it uses user.note`,
  )
})

test("a version of a database that was deleted does not keep its successor from release", async () => {
  await using lost = await setUp()
  const formerVersion = await lost.upload(second, withoutNote)
  await lost.deploy({ [formerVersion]: 100 })
  await account.call("DELETE", `/d1/database/${lost.databaseId}`)
  await using otherService = await setUp()
  const version = await lost.upload(second, withoutNote, "well", otherService.databaseId)
  const { outputs } = await lost.create(version)
  expect(outputs).toMatchObject({ versionId: version })
  expect(provider.log.join("\n")).toContain(
    `version ${formerVersion} does not fit the schema: its database ${lost.databaseId} is gone`,
  )
})

test("a rollback in the dashboard to a version that does not fit shows with words", async () => {
  await using service = await setUp()
  const formerVersion = await service.upload(first, withNote)
  const live = await service.upload(second, withoutNote)
  const inputs = service.inputs(live)
  const { id, outputs } = await service.create(live)
  const read = () => provider.read("Release", { id, outputs, inputs })
  expect(await read()).toMatchObject({ inputs: { versionId: live } })
  expect(provider.log.join("\n")).not.toContain(`${formerVersion} at 100 %`)

  await service.deploy({ [formerVersion]: 100 }, "back to the stable one")
  const drifted = await read()
  expect(drifted).toMatchObject({ inputs: { versionId: formerVersion } })
  expect(provider.log.at(-1)).toMatch(
    new RegExp(
      `no release of this stack recorded serves: ${formerVersion} at 100 %, deployed by .* \\("back to the stable one"\\)\\. Version ${formerVersion} does not fit the schema: it uses user\\.note`,
    ),
  )
  const olds = drifted?.outputs ?? {}
  const diff = await provider.diff("Release", { olds, oldInputs: inputs, inputs })
  expect(diff).toMatchObject({ changes: true, paths: ["versionId"] })
})

test("a drift shows, too, when the database does not answer", async () => {
  await using service = await setUp()
  const [healthyVersion, sickVersion] = [
    await service.upload(second, withoutNote),
    await service.upload(second, withoutNote, "sick"),
  ]
  const { id, outputs } = await service.create(healthyVersion)
  await service.deploy({ [sickVersion]: 100 })
  proxy.inject({ method: "POST", path: /\/query$/, fault: "403 before", times: 100 })
  const drifted = await provider.read("Release", {
    id,
    outputs,
    inputs: service.inputs(healthyVersion),
  })
  expect(drifted).toMatchObject({ inputs: { versionId: sickVersion } })
  expect(provider.log.at(-1)).toContain(
    `Whether version ${sickVersion} fits the schema is unknown: `,
  )
})

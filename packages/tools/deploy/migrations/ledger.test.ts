import { wranglerProject } from "@accounts-stack/local/cloudflare/testing/wrangler"
import { expect, test } from "vitest"

import { setUpDatabase } from "../testing/database-under-test.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"

const { cloudflare, proxy, provider, account } = await startProviderUnderTest()

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

const user = "0000_user.sql"
const session = "0001_session.sql"
const note = "0002_note.sql"
function table(name: string) {
  return `CREATE TABLE ${name} (id TEXT PRIMARY KEY);\n`
}

const definition = "SELECT sql FROM sqlite_master WHERE name = 'd1_migrations'"

test("wrangler and this provider share one ledger: each continues where the other stopped", async () => {
  const surroundings = { cloudflare, account, proxy }
  await using database = await setUpDatabase(surroundings, { [user]: table("user") })
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

  await using other = await setUpDatabase(surroundings, { [user]: table("user") })
  await using otherWrangler = await openWrangler(other)
  await otherWrangler.migrations("apply")
  expect(await database.query(definition)).toEqual(await other.query(definition))
})

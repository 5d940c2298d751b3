import { expect, test } from "vitest"
import * as z from "zod"

import { setUpDatabase } from "../testing/database-under-test.ts"
import { createMigrationFolder } from "../testing/migration-folder.ts"
import { startProviderUnderTest } from "../testing/provider-under-test.ts"

const { cloudflare, proxy, provider, account } = await startProviderUnderTest()

const Named = z.object({ name: z.string() })

const first = "0000_user.sql"
const users = `CREATE TABLE user (id TEXT PRIMARY KEY NOT NULL, plan TEXT);
INSERT INTO user VALUES ('u1', 'free');`

function makes(table: string): string {
  return `CREATE TABLE ${table} (id TEXT PRIMARY KEY);`
}

const rebuildUser = `CREATE TABLE __new_user (id TEXT PRIMARY KEY NOT NULL, plan TEXT DEFAULT 'free');
INSERT INTO __new_user SELECT id, plan FROM user;
DROP TABLE user;
ALTER TABLE __new_user RENAME TO user;`

/** A database with users, and the files of a branch that are pending. */
async function setUp(pending: Record<string, string>) {
  const database = await setUpDatabase({ cloudflare, account, proxy }, { [first]: users })
  await provider.create("Migrations", await database.inputs())
  for (const [name, sql] of Object.entries(pending)) await database.write(name, sql)
  const path = new RegExp(`${database.databaseId}/query`)
  return Object.assign(database, {
    /** Runs `act` when the request with the file is about to reach D1. */
    meanwhile(file: string, act: () => Promise<unknown>) {
      const body = new RegExp(`VALUES \\('${file}'\\)`)
      proxy.inject({ method: "POST", path, body, first: async () => void (await act()) })
    },
    migrate: async () => provider.create("Migrations", await database.inputs()),
    names: async () => (await database.ledger()).map((row) => Named.parse(row).name),
  })
}

const leftFiles = { "0001_left.sql": makes("left_a"), "0002_left.sql": makes("left_b") }
const right = { "0001_right.sql": makes("right_a"), "0002_right.sql": makes("right_b") }

test.each([
  [
    "before its first file",
    "0001_left.sql",
    /0001_left\.sql was not applied: .*ends with 0002_right\.sql/,
    right,
  ],
  ["between its files", "0002_left.sql", /^applied$/, leftFiles],
])(
  "another branch that is applied %s never makes a ledger that the files of neither fit",
  async (_when, file, expected, files) => {
    await using database = await setUp(leftFiles)
    await using migrationFolder = await createMigrationFolder({ [first]: users, ...right })
    const inputs = { ...(await database.inputs()), ...(await migrationFolder.declared()) }
    database.meanwhile(file, () => provider.create("Migrations", inputs).catch(() => undefined))
    const outcome = await database.migrate().then(
      () => "applied",
      (error: unknown) => String(error),
    )
    expect(outcome).toMatch(expected)
    expect(await database.names()).toEqual([first, ...Object.keys(files)])
  },
)

test("what another tool applies between two files of a run stops the run before the second", async () => {
  await using database = await setUp({ "0001_a.sql": makes("a"), "0002_b.sql": makes("b") })
  database.meanwhile("0002_b.sql", () =>
    database.query(`${makes("hotfix")} INSERT INTO d1_migrations (name) VALUES ('0002_hot.sql')`),
  )
  await expect(database.migrate()).rejects.toThrow("the ledger ends with 0002_hot.sql")
  expect(await database.names()).toEqual([first, "0001_a.sql", "0002_hot.sql"])
})

const child = `CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT REFERENCES user (id) ON DELETE CASCADE);
  INSERT INTO session VALUES ('s1', 'u1');`

test.each([
  ["the first file", { "0001_user.sql": rebuildUser }],
  ["a later file", { "0001_a.sql": makes("a"), "0002_user.sql": rebuildUser }],
])(
  "a table created after %s was judged keeps its rows, and is judged by the next run",
  async (_which, files) => {
    await using database = await setUp(files)
    const file = Object.keys(files).at(-1) ?? ""
    database.meanwhile(file, () => database.query(child))
    await expect(database.migrate()).rejects.toThrow(
      /sql was not applied: .*the schema is not the one that was judged.*Run again/,
    )
    expect(await database.query("SELECT id FROM session")).toEqual([{ id: "s1" }])
    expect(await database.names()).not.toContain(file)
    await expect(database.migrate()).rejects.toThrow("rows of session are deleted")
  },
)

test("a change of a definition alone is seen, too, whatever it is written like", async () => {
  await using database = await setUp({ "0001_a.sql": makes("a") })
  await database.query("CREATE TRIGGER t AFTER INSERT ON user BEGIN SELECT 'é1'; END")
  database.meanwhile("0001_a.sql", () =>
    database.query("DROP TRIGGER t; CREATE TRIGGER t AFTER INSERT ON user BEGIN SELECT 'é2'; END"),
  )
  await expect(database.migrate()).rejects.toThrow("the schema is not the one that was judged")
})

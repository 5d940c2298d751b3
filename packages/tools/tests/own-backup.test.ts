import { advance, openScratchDatabase } from "@accounts-stack/d1-migrations/testing/internals"
import { seedRows } from "@accounts-stack/d1-migrations/testing/seed-rows"
import { localCloudflare } from "@accounts-stack/local/cloudflare/testing/local-cloudflare"
import { wranglerProject } from "@accounts-stack/local/cloudflare/testing/wrangler"
import { expect, test } from "vitest"
import * as z from "zod"

import { migrationsDirectory } from "../base/root.ts"
import { readMigrations } from "../environment/own-names.ts"

const Names = z.array(z.object({ name: z.string() }))

/** Values that the checks and triggers of these tables require, and the rehearsal's rows lack. */
const valid = `
  UPDATE user SET role = 'member';
  UPDATE compatibility_result SET lite = '{}', deep_insights = '{}';
  UPDATE payment SET status = 'paid', paid_at = 1;
`

/** The migrations, and a script that inserts a row into every table. */
async function readContent(): Promise<{ migrations: string[]; rows: string }> {
  using database = openScratchDatabase()
  const files = await readMigrations(migrationsDirectory)
  for (const file of files) advance(database, file)
  seedRows(database)
  database.exec(valid)
  const tables = Names.parse(
    database.rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'",
    ),
  )
  const inserts = tables.flatMap(({ name }) => {
    const columns = Names.parse(database.rows(`PRAGMA table_info("${name}")`)).map(
      (column) => column.name,
    )
    const quoted = columns.map((column) => `quote("${column}")`).join(" || ', ' || ")
    return database
      .rows(`SELECT ${quoted} AS "values" FROM "${name}"`)
      .map(
        (row) =>
          `INSERT INTO "${name}" ("${columns.join('", "')}") VALUES (${String(row["values"])});`,
      )
  })
  expect(inserts.length).toBeGreaterThanOrEqual(tables.length)
  const migrations = files.map(({ sql }) => sql)
  return { migrations, rows: ["PRAGMA defer_foreign_keys = on;", ...inserts].join("\n") }
}

test("this repository's own schema, with a row in every table, survives export, import and restore", async () => {
  await using cloudflare = await localCloudflare()
  const { accountId: account_id } = cloudflare
  const client = await cloudflare.client()
  const create = async (name: string) => {
    const { uuid = "" } = await client.d1.database.create({ account_id, name })
    const query = async (sql: string) => {
      const { result } = await client.d1.database.query(uuid, { account_id, sql })
      return result.map(({ results }) => results)
    }
    /** Schema and rows, each in the same order whatever the order in which they were written. */
    async function content() {
      const [objects] = await query(
        `SELECT type, name, replace(sql, 'IF NOT EXISTS ', '') AS sql FROM sqlite_master
         WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY type, name`,
      )
      const tables = Names.parse(objects?.filter((object) => Object(object).type === "table"))
      const rows = await query(
        tables.map((table) => `SELECT * FROM "${table.name}" ORDER BY 1, 2`).join("; "),
      )
      return { objects, rows }
    }
    return { uuid, query, content }
  }
  const original = await create("original")
  const { migrations, rows } = await readContent()
  for (const sql of migrations) await original.query(sql)
  await original.query(rows)
  const before = await original.content()
  expect(before.rows.filter((row) => row?.length === 0)).toEqual([])

  const copy = await create("copy")
  await using wrangler = await wranglerProject({
    cloudflare,
    config: { name: "backup" },
    files: {},
  })
  await wrangler.run(["d1", "export", "original", "--remote", "--output", "dump.sql"])
  const dump = await wrangler.read("dump.sql")
  await wrangler.write("restore.sql", `PRAGMA foreign_keys=OFF;\n${dump}`)
  await wrangler.run(["d1", "execute", "copy", "--remote", "-y", "--file", "restore.sql"])
  expect(await copy.content()).toEqual(before)

  const { timeTravel } = client.d1.database
  const { bookmark = "" } = await timeTravel.getBookmark(original.uuid, { account_id })
  await original.query("PRAGMA defer_foreign_keys = on; DELETE FROM user; DELETE FROM payment")
  expect(await original.content()).not.toEqual(before)
  await timeTravel.restore(original.uuid, { account_id, bookmark })
  expect(await original.content()).toEqual(before)
})

import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"
import * as z from "zod"

import { migrationsDirectory } from "../base/root.ts"
import { setUpDatabase } from "../deploy/testing/database-under-test.ts"
import { startProviderUnderTest } from "../deploy/testing/provider-under-test.ts"

const { cloudflare, proxy, provider, account } = await startProviderUnderTest()

function migration(name: string): string {
  return readFileSync(join(migrationsDirectory, name), "utf8")
}

const before = ["0000_accounts.sql", "0001_member_data.sql", "0002_unproven_accounts.sql"]
const opening = "0003_open_lists.sql"
/** Declares the checks that it loosens. */
const openingNotes = "0003_open_lists.md"

function setUp() {
  const files = Object.fromEntries(before.map((name) => [name, migration(name)]))
  return setUpDatabase({ cloudflare, account, proxy }, files)
}

const rows = `
INSERT INTO user (id, email, email_verified, name, image, role, plan, plan_until, sign_in_failures, unproven_since, created_at, updated_at) VALUES
  ('usr_1', 'ada@example.com', 1, 'Ada', NULL, 'owner', 'premium', 99, 2, NULL, 1, 2),
  ('usr_2', 'bob@example.com', 0, 'Bob "B"', 'https://x/y.png', 'member', 'free', NULL, 0, 8, 3, 4);
INSERT INTO session VALUES ('ses_1', 'usr_1', 't1', '::1', 'curl', 9, 1, 2), ('ses_2', 'usr_2', 't2', NULL, NULL, 9, 1, 2);
INSERT INTO account (id, user_id, provider_id, account_id, password, created_at, updated_at) VALUES
  ('acc_1', 'usr_1', 'credential', 'usr_1', 'hash', 1, 2), ('acc_2', 'usr_2', 'google', 'g2', NULL, 1, 2);
INSERT INTO verification VALUES ('ver_1', 'ada@example.com', 'v', 9, 1, 2);
INSERT INTO audit_entry VALUES ('aud_1', 'usr_1', 'usr_2', 'change_role', 'admin', 5), ('aud_2', NULL, 'usr_1', 'read_member', NULL, 6);
INSERT INTO compatibility_result VALUES ('res_1', 'usr_1', 'Bob', 1, '{}', '[]', 'pay_1', 7, 5), ('res_2', 'usr_2', 'Ada', 1, '{}', '[]', NULL, NULL, 5);
INSERT INTO payment VALUES ('pay_1', 'usr_1', 'res_1', 'paid', 900, 'eur', 'cs_1', NULL, 9, 5, 7), ('pay_2', 'usr_2', 'res_2', 'pending', 900, 'eur', NULL, NULL, 9, 5, NULL);
INSERT INTO payment_event VALUES ('evt_1', 'checkout.session.completed', 7);
INSERT INTO consent VALUES ('con_1', 'usr_1', 'terms', '1', 5, NULL), ('con_2', 'usr_1', 'marketing', '1', 5, 6);
INSERT INTO journal_entry VALUES ('ent_1', 'usr_1', 'good', 'a', NULL, 5), ('ent_2', 'usr_2', 'low', 'b', 'prm_1', 6), ('ent_3', 'usr_2', 'great', 'c', NULL, 7);
INSERT INTO usage VALUES ('usr_1', '2026-11', 'journal_entries', 1), ('usr_2', '2026-11', 'journal_entries', 2);
`

const tables = [
  "user",
  "session",
  "account",
  "verification",
  "audit_entry",
  "compatibility_result",
  "payment",
  "payment_event",
  "consent",
  "journal_entry",
  "usage",
]

test("the migration that opens the lists keeps every row of every table", async () => {
  await using database = await setUp()
  const oldInputs = await database.inputs()
  const { id, outputs: olds } = await provider.create("Migrations", oldInputs)
  await database.query(rows)
  const content = () =>
    Promise.all(
      tables.map(async (table) => [table, await database.query(`SELECT * FROM "${table}"`)]),
    )
  const indexes = () =>
    database.query("SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name")
  const [rowsBefore, indexesBefore] = [await content(), await indexes()]
  expect(rowsBefore.map(([, found]) => found?.length)).toEqual([2, 2, 2, 1, 2, 2, 2, 1, 2, 3, 2])

  await database.write(opening, migration(opening))
  await database.write(openingNotes, migration(openingNotes))
  const change = { id, olds, oldInputs, inputs: await database.inputs() }
  await provider.update("Migrations", change, { preview: true })
  expect(await provider.update("Migrations", change)).toMatchObject({ head: opening })

  expect(await content()).toEqual(rowsBefore)
  expect(await indexes()).toEqual(indexesBefore)
  expect(await database.query("PRAGMA foreign_key_check")).toEqual([])
  expect(await database.tables()).not.toMatch(/__old|__new/)

  await database.query(`UPDATE user SET plan = 'pro'; UPDATE journal_entry SET mood = 'calm';
    UPDATE consent SET purpose = 'research'; UPDATE audit_entry SET action = 'export_member';
    UPDATE payment SET status = 'refunded';`)
  await expect(database.query("UPDATE user SET role = 'god'")).rejects.toThrow("user.role is")
  await expect(database.query("UPDATE payment SET status = 'paid'")).rejects.toThrow("payment_paid")
  await database.query("DELETE FROM user WHERE id = 'usr_1'")
  expect(await database.query("SELECT id FROM session")).toEqual([{ id: "ses_2" }])
})

test("as drizzle-kit writes it, the same migration would have taken every session", async () => {
  await using database = await setUp()
  await provider.create("Migrations", await database.inputs())
  await database.query(rows)
  const [table] = await database.query(
    "SELECT replace(sql, '`user`', '__new_user') AS sql FROM sqlite_master WHERE name = 'user'",
  )
  await database.query(`PRAGMA foreign_keys=OFF; ${z.object({ sql: z.string() }).parse(table).sql};
    INSERT INTO __new_user SELECT * FROM user; DROP TABLE user; ALTER TABLE __new_user RENAME TO user;`)
  expect(await database.query("SELECT id FROM user")).toHaveLength(2)
  expect(await database.query("SELECT id FROM session")).toEqual([])
})

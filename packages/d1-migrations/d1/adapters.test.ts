import { Miniflare } from "miniflare"
import { expect, test } from "vitest"

import { applyMigrations } from "../apply/apply.ts"
import { parseMigration } from "../files/migration-files.ts"
import { usualNames } from "../names.ts"
import { startLocalD1 } from "../testing/local-d1.ts"
import { boundD1 } from "./binding.ts"
import type { D1 } from "./d1.ts"
import { openDatabase } from "./database.ts"
import { sqliteD1 } from "./sqlite.ts"

const [first, second, third] = [
  "CREATE TABLE user (id TEXT PRIMARY KEY);",
  "CREATE TABLE note (id TEXT);",
  "-- d1:loses user, at most 1 row: only the last one has gone\nDELETE FROM user;",
].map((sql, index) => parseMigration(`000${index}_change.sql`, Buffer.from(sql)))

type Opened = AsyncDisposable & { d1: D1 }

const adapters: Record<string, () => Promise<Opened>> = {
  async "Cloudflare's API"() {
    const local = await startLocalD1()
    const d1 = local.d1(await local.createDatabase("adapter"))
    return { d1, [Symbol.asyncDispose]: () => local[Symbol.asyncDispose]() }
  },
  async "a binding"() {
    const contents = "export default {}"
    const miniflare = new Miniflare({
      workers: [
        {
          config: {
            name: "worker",
            compatibilityDate: "2026-10-01",
            env: { DB: { type: "d1", id: "db" } },
            manifest: {
              mainModule: "worker.js",
              modulesRoot: "/",
              modules: { "worker.js": { type: "esm", contents } },
            },
          },
        },
      ],
    })
    const d1 = boundD1(await miniflare.getD1Database("DB"))
    return { d1, [Symbol.asyncDispose]: () => miniflare.dispose() }
  },
  async "SQLite in memory"() {
    const d1 = sqliteD1()
    return { d1, [Symbol.asyncDispose]: async () => d1[Symbol.dispose]() }
  },
}

test.each(Object.keys(adapters))(
  "through %s files are applied once, each whole, and the row guard refuses",
  async (name) => {
    await using opened = await adapters[name]?.()
    if (first === undefined || second === undefined || third === undefined) throw new Error("files")
    if (opened === undefined) throw new Error("adapter")
    const database = openDatabase(opened.d1)
    const messages: string[] = []
    const log = {
      info: (line: string) => messages.push(line),
      warn: (line: string) => messages.push(line),
    }
    await applyMigrations({ database, files: [first], log })
    await database.change("INSERT INTO user VALUES ('a'), ('b');")
    await applyMigrations({ database, files: [first, second], log })
    const { applied } = await database.recorded()
    expect(applied.map(({ record }) => [record?.name, record?.sha256, record?.class])).toEqual([
      [first.name, first.sha256, "expand"],
      [second.name, second.sha256, "expand"],
    ])
    const refused = applyMigrations({ database, files: [first, second, third], log })
    await expect(refused).rejects.toMatchObject({
      code: "MIGRATION_FAILED",
      message: expect.stringMatching(/the row guard failed it.*2 of the rows of user/s),
    })
    expect(await database.ask("SELECT id FROM user")).toHaveLength(2)
    expect(await database.allObjects()).toHaveLength(4)
  },
)

test("a ledger under other names is read and written under those, and else taken for another tool's", async () => {
  using d1 = sqliteD1()
  const log = { info: () => {}, warn: () => {} }
  const names = { ...usualNames, sidecar: "acme_migrations", declarations: "acme" }
  if (first === undefined || second === undefined) throw new Error("files")
  await applyMigrations({ database: openDatabase(d1, names), files: [first], log })
  const ledger = await openDatabase(d1, names).ledger()
  expect(ledger.applied).toEqual([{ name: first.name, sha256: first.sha256 }])
  const neutral = await openDatabase(d1).ledger()
  expect(neutral.applied).toEqual([{ name: first.name, sha256: undefined }])
  await applyMigrations({ database: openDatabase(d1, names), files: [first, second], log })
  expect((await openDatabase(d1, names).ledger()).applied).toHaveLength(2)
})

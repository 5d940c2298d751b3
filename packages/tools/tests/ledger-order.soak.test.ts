import { applyMigrations } from "@accounts-stack/d1-migrations"
import type { Database } from "@accounts-stack/d1-migrations/d1"
import type { Migration } from "@accounts-stack/d1-migrations/files"
import { createTables } from "@accounts-stack/d1-migrations/testing/internals"
import { seededRandom } from "@accounts-stack/local/seeded-random"
import { afterAll, expect, test } from "vitest"
import * as z from "zod"

import { Failure } from "../base/failure.ts"
import { createApi } from "../deploy/api.ts"
import { openAccount } from "../deploy/testing/account.ts"
import { startLocalCloudflare } from "../deploy/testing/local-cloudflare.ts"
import { openDatabase, parseMigration } from "../environment/own-names.ts"

const runs = process.env["SOAK_BUDGET"] === "full" ? 200 : 12
const seed = Number(process.env["SOAK_SEED"] ?? 1)
const steps = 8

const cloudflare = await startLocalCloudflare({})
const account = openAccount(cloudflare)
const api = createApi({ baseUrl: cloudflare.api, token: cloudflare.token })
afterAll(() => cloudflare[Symbol.asyncDispose]())

const log = { info: () => undefined, warn: () => undefined }
const Named = z.array(z.object({ name: z.string() }))

/** A file that leaves its name in the database each time it runs. */
function fileOf(index: number, name: string, suffix = ""): { name: string; sql: string } {
  const fileName = `${String(index).padStart(4, "0")}_${name}.sql`
  const first = index === 0 ? "CREATE TABLE trace (id INTEGER PRIMARY KEY, name TEXT);\n" : ""
  const sql = `${first}CREATE TABLE ${name}_${index} (id TEXT PRIMARY KEY);\nINSERT INTO trace (name) VALUES ('${fileName}');${suffix}`
  return { name: fileName, sql }
}

type File = ReturnType<typeof fileOf>

function parsed(files: File[]): Migration[] {
  return files.map(({ name, sql }) => parseMigration(name, Buffer.from(sql)))
}

/** Loses the answer to the request with a file, before or after it has taken effect. */
function losing(database: Database, after: boolean): Database {
  return {
    ...database,
    async change(sql) {
      if (!sql.includes("INSERT INTO trace")) return database.change(sql)
      if (after) await database.change(sql)
      throw new Failure("API_FAILED", "no answer", { facts: { lost: true } })
    },
  }
}

test.each(Array.from({ length: runs }, (_, index) => seed + index))(
  "seed %i: whatever happens between runs, each file of the ledger has run once, in its order",
  async (roundSeed) => {
    const random = seededRandom(roundSeed)
    const pick = (count: number) => Math.floor(random() * count)
    const databaseId = await account.createDatabase(`order-${roundSeed}`)
    const database = openDatabase({ api, accountId: cloudflare.accountId, databaseId })
    const query = (sql: string) => account.query(databaseId, sql)
    const apply = (files: File[], through = database): Promise<unknown> =>
      applyMigrations({ database: through, files: parsed(files), log }).catch(() => undefined)
    let files = [fileOf(0, "first")]
    await apply(files)

    const byHand = async ({ name, sql }: File) => {
      await database.askAll(createTables(database.names))
      await query(`${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name}');`).catch(() => [])
    }
    const next = () => fileOf(files.length, `f${pick(1000)}`)
    const actions: (() => Promise<unknown>)[] = [
      async () => apply((files = [...files, next()])),
      async () => apply((files = [...files, next(), fileOf(files.length + 1, "g")])),
      // Twice.
      async () => (await apply(files), apply(files)),
      // Renamed, edited, removed, out of order, with other line endings.
      async () =>
        apply(files.map((file, at) => (at === 0 ? { ...file, name: "0000_other.sql" } : file))),
      async () =>
        apply(files.map((file, at) => (at === 0 ? fileOf(0, "first", " -- edited") : file))),
      async () => apply(files.slice(1)),
      async () => apply([fileOf(0, "before"), ...files]),
      async () =>
        apply(files.map(({ name, sql }) => ({ name, sql: sql.replaceAll("\n", "\r\n") }))),
      // Another tool, by the ledger and past it.
      async () => {
        files = [...files, next()]
        const applied = (await database.applied()).map(({ name }) => name)
        // Those, too, whose request was lost before: a person keeps to the order.
        for (const file of files.slice(applied.length)) await byHand(file)
      },
      async () => query(`CREATE TABLE drizzle_${pick(100_000)} (id TEXT)`),
      // Two branches at once.
      async () => {
        const [left, right] = [
          [...files, next()],
          [...files, fileOf(files.length, "right")],
        ]
        await Promise.all([apply(left), apply(right)])
        const names = (await database.applied()).map(({ name }) => name)
        files = names.includes(right.at(-1)?.name ?? "") ? right : left
      },
      // An answer that is lost, and a file that fails in its middle.
      async () => apply((files = [...files, next()]), losing(database, pick(2) === 0)),
      async () =>
        apply([...files, fileOf(files.length, "bad", "\nINSERT INTO nowhere VALUES (1);")]),
    ]
    const done: number[] = []
    for (let step = 0; step < steps; step += 1) {
      const chosen = pick(actions.length)
      done.push(chosen)
      await actions[chosen]?.()
      const names = (await database.applied()).map(({ name }) => name)
      const ran = Named.parse(await query("SELECT name FROM trace ORDER BY id")).map(
        ({ name }) => name,
      )
      expect({ done, ran }).toEqual({ done, ran: names })
      expect({ done, names }).toEqual({
        done,
        names: files.slice(0, names.length).map(({ name }) => name),
      })
    }
    await apply(files)
    expect((await database.applied()).map(({ name }) => name)).toEqual(
      files.map(({ name }) => name),
    )
  },
)

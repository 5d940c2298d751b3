import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"

import { localCloudflare } from "@accounts-stack/local/cloudflare/testing/local-cloudflare"
import { temporaryDirectory } from "@accounts-stack/local/daemon/testing/temporary-directory"
import { afterAll, expect, test } from "vitest"
import * as z from "zod"

import { createApi } from "../d1/cloudflare-api.ts"
import { cloudflareD1 } from "../d1/cloudflare.ts"

const cloudflare = await localCloudflare()
afterAll(() => cloudflare[Symbol.asyncDispose]())
const { accountId, token } = cloudflare
const api = createApi({ token, baseUrl: cloudflare.api })
const main = join(import.meta.dirname, "main.ts")

const files = {
  "0001_user.sql": "\uFEFFCREATE TABLE user (id TEXT PRIMARY KEY, name TEXT);",
  "0002_later.sql": "-- Migration number: 0002 \t 2026-01-02T03:04:05.678Z\n",
  "0003_note.sql": "CREATE TABLE note (id TEXT PRIMARY KEY);",
  "0004_clean.sql": "DELETE FROM user;",
}

async function setUp() {
  const directory = await temporaryDirectory()
  const settings = { read_replication: { mode: "disabled" } }
  const root = `/accounts/${accountId}/d1/database`
  const name = `apply-${Math.random().toString(36).slice(2)}`
  const { uuid } = await api.post(root, { name, ...settings }, z.object({ uuid: z.string() }))
  const database = { binding: "DB", database_id: uuid }
  const config = { account_id: accountId, d1_databases: [database] }
  await mkdir(join(directory.path, "migrations"))
  await mkdir(join(directory.path, "src"))
  await writeFile(join(directory.path, "wrangler.json"), JSON.stringify(config))
  for (const [file, sql] of Object.entries(files)) {
    await writeFile(join(directory.path, "migrations", file), sql)
  }
  const d1 = cloudflareD1({ api, accountId, databaseId: uuid })
  return {
    change: (sql: string) => d1.change(sql),
    tables: async () => {
      const [rows = []] = await d1.query(["SELECT name FROM sqlite_master WHERE type = 'table'"])
      return rows.map((row) => z.object({ name: z.string() }).parse(row).name)
    },
    /** Runs in a folder below the settings, as wrangler allows. */
    async run(...args: string[]) {
      const nodeArgs = ["--no-warnings", main, ...args, "--api", cloudflare.api]
      const { PATH, NODE_COMPILE_CACHE } = process.env
      const env = { PATH, NODE_COMPILE_CACHE, NO_COLOR: "1", CLOUDFLARE_API_TOKEN: token }
      const child = spawn(process.execPath, nodeArgs, { cwd: join(directory.path, "src"), env })
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close"),
      ])
      return { code: z.number().parse(code), stdout, stderr }
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

test("a dry run sends nothing, and files are applied up to the named file", async () => {
  await using site = await setUp()
  const first = await site.run("apply", "--dry-run", "--to", "0003_note.sql", "--json")
  expect(first.code).toBe(0)
  expect(JSON.parse(first.stdout)).toMatchObject({
    pending: [{ name: "0001_user.sql", objections: [] }, {}, {}],
  })
  expect(await site.tables()).not.toContain("user")

  expect((await site.run("apply", "--to", "0001_user.sql", "--json")).stdout).toBe(
    '{"applied":["0001_user.sql"]}\n',
  )
  await site.change("INSERT INTO user VALUES ('a', 'b')")
  expect((await site.run("apply", "--to", "0003_note.sql")).code).toBe(0)
  expect(await site.tables()).toEqual(expect.arrayContaining(["user", "note"]))
  // Applied files stay applied.
  expect(await site.run("apply", "--to", "0001_user.sql")).toMatchObject({ code: 0 })

  const dry = await site.run("apply", "--dry-run")
  expect(dry).toMatchObject({ code: 1, stderr: expect.stringContaining("takes rows of user") })
  expect((await site.run("apply", "--to", "0009_none.sql")).code).toBe(2)
})

test("a database that another tool has migrated is reported with the command for it", async () => {
  await using site = await setUp()
  await site.change(files["0001_user.sql"].slice(1))
  const status = await site.run("status")
  expect(status).toMatchObject({ code: 1, stdout: expect.stringContaining("baseline") })
  const applied = await site.run("apply", "--to", "0003_note.sql")
  expect(applied).toMatchObject({ code: 1, stderr: expect.stringContaining("baseline") })
  expect((await site.run("baseline", "--head", "0001_user.sql")).code).toBe(0)
  expect((await site.run("apply", "--to", "0003_note.sql")).code).toBe(0)
})

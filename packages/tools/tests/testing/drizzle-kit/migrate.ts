import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { splitStatements } from "@accounts-stack/d1-migrations/files"
import type { DrizzleKitVerdict, TriedShape } from "@accounts-stack/d1-migrations/testing/internals"
import * as z from "zod"

import { root } from "../../../base/root.ts"
import { openAccount } from "../../../deploy/testing/account.ts"
import type { LocalCloudflare } from "../../../deploy/testing/local-cloudflare.ts"

const breakpoint = "--> statement-breakpoint"

/** Runs real `drizzle-kit migrate`, over D1's API, on a database that holds the rows of a shape. */
export async function migrateByDrizzleKit(
  cloudflare: LocalCloudflare,
  { given, change, losesRows }: TriedShape,
): Promise<DrizzleKitVerdict> {
  const account = openAccount(cloudflare)
  const databaseId = await account.createDatabase(`drizzle-kit-${crypto.randomUUID()}`)
  const query = (sql: string) => account.query(databaseId, sql)
  await query(given)
  const before = await contentOf(query)
  const succeeded = await run(cloudflare, { databaseId, sql: asDrizzleKitWrites(change) })
  const lost = await losesRows(query)
  if (succeeded) return lost ? "loses" : "keeps"
  if (JSON.stringify(await contentOf(query)) === JSON.stringify(before)) return "fails"
  return lost ? "stops and loses" : "stops"
}

/** It sends what stands between two breakpoints as a request of its own, and writes one after each statement. */
function asDrizzleKitWrites(sql: string): string {
  if (sql.includes(breakpoint)) return sql
  return splitStatements(sql)
    .map((statement) => statement.sql)
    .join(`${breakpoint}\n`)
}

/** Whether it exits with 0. It says nothing of what failed, so no output is returned. */
async function run(
  { api, token, accountId }: LocalCloudflare,
  { databaseId, sql }: { databaseId: string; sql: string },
): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "accounts-drizzle-kit-"))
  const meta = join(directory, "migrations", "meta")
  mkdirSync(meta, { recursive: true })
  const write = (path: string, content: unknown) =>
    writeFileSync(join(directory, path), JSON.stringify(content))
  const entry = { idx: 0, version: "6", when: 1, tag: "0000_change", breakpoints: true }
  write("migrations/meta/_journal.json", { version: "7", dialect: "sqlite", entries: [entry] })
  writeFileSync(join(directory, "migrations/0000_change.sql"), sql)
  const place = { dialect: "sqlite", driver: "d1-http", out: "./migrations" }
  const dbCredentials = { accountId, databaseId, token }
  write("drizzle.config.json", { ...place, dbCredentials })
  const program = join(root, "node_modules/drizzle-kit/bin.cjs")
  const redirect = join(import.meta.dirname, "redirect.cjs")
  const args = ["--require", redirect, program, "migrate", "--config", "drizzle.config.json"]
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, HOME: directory, CI: "1", LOCAL_CLOUDFLARE_API: api }
  try {
    return await new Promise((resolve, reject) => {
      execFile(process.execPath, args, { cwd: directory, env }, (error, stdout, stderr) => {
        // It reports a failure of D1 with this code and without a word on stderr.
        if (error === null || (error.code === 1 && stderr === "")) resolve(error === null)
        else reject(new Error(`drizzle-kit: ${error.message}\n${stdout}${stderr}`))
      })
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const Named = z.object({ name: z.string() })

/** Schema and rows, without drizzle-kit's own ledger and what D1 and SQLite keep. */
async function contentOf(query: (sql: string) => Promise<unknown[]>) {
  const schema = await query(
    "SELECT type, name, sql FROM sqlite_master WHERE tbl_name <> '__drizzle_migrations' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name",
  )
  const tables = schema.filter(
    (row) => z.object({ type: z.literal("table") }).safeParse(row).success,
  )
  const rows = tables.map((table) => query(`SELECT * FROM "${Named.parse(table).name}"`))
  return { schema, rows: await Promise.all(rows) }
}

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { workersDevHost } from "@accounts-stack/local/seed"
import * as z from "zod"

import { createMigrationFolder } from "../../../deploy/testing/migration-folder.ts"
import { storeBundle } from "../../../deploy/version/bundle-store.ts"
import type { FaultAccount } from "./fault-account.ts"
import { type FaultCase, anyRequestFaults, queryFaults, wranglerFaults } from "./fault-cases.ts"

/** A client's command that runs once per fault. */
export type Operation = {
  name: string
  cases: FaultCase[]
  prepare(account: FaultAccount): Promise<Prepared>
}

type Prepared = AsyncDisposable & {
  /** Match of the fault rule, by surface. */
  api: Record<string, string>
  d1?: Record<string, string>
  run: () => Promise<unknown>
  /** Describes the current state for the table. */
  state: () => Promise<string>
}

const worker = "export default { fetch: (_, env) => new Response(env.VERSION.id) }"
const migration = "CREATE TABLE note (id TEXT);\nINSERT INTO note VALUES ('n1');\n"
const ledgerRow = "0000_note.sql"

const Versions = z.object({ items: z.array(z.object({ id: z.string() })) })

/** The providers first, because they are quick. */
export const operations: Operation[] = [
  { name: "`Migrations`", cases: [...anyRequestFaults, ...queryFaults], prepare: withMigrations },
  { name: "`Release`", cases: [...anyRequestFaults], prepare: withRelease },
  { name: "`Version`", cases: [...anyRequestFaults], prepare: withVersion },
  {
    name: "wrangler d1 migrations apply",
    cases: [...wranglerFaults, ...queryFaults],
    prepare: withWranglerMigrations,
  },
  {
    name: "wrangler d1 execute",
    cases: [...wranglerFaults, ...queryFaults],
    prepare: withExecution,
  },
]

/** A Worker with one live version. */
async function liveWorker({ account, name }: FaultAccount) {
  const scriptName = name("faults")
  const workerId = await account.createWorker(scriptName)
  const first = await account.createVersion(workerId, "well")
  await account.deploy(scriptName, { [first]: 100 })
  const uploaded = async () => {
    const list = await account.call("GET", `/workers/scripts/${scriptName}/versions`)
    return Versions.parse(list).items.map(({ id }) => id)
  }
  /** Counts new versions and says whether one of them is live. */
  const state = async () => {
    const uploads = (await uploaded()).length - 1
    const [live] = await account.deployments(scriptName)
    const shares = Object.entries(live?.shares ?? {}).filter(([, share]) => share > 0)
    const serving = shares.map(([id]) => (id === first ? "old" : "new")).join(" and ")
    return `${uploads} new version${uploads === 1 ? "" : "s"}, the ${serving} one live`
  }
  return { scriptName, workerId, first, state }
}

async function database({ account, name }: FaultAccount) {
  const databaseName = name("faults")
  const databaseId = await account.createDatabase(databaseName)
  const rows = (sql: string) => account.query(databaseId, sql)
  return {
    databaseName,
    databaseId,
    rows,
    path: `*/d1/database/${databaseId}/query`,
    has: async (table: string) =>
      (await rows(`SELECT name FROM sqlite_master WHERE name = '${table}'`)).length > 0,
  }
}

async function withExecution(account: FaultAccount) {
  const { databaseName, databaseId, rows, path } = await database(account)
  await rows("CREATE TABLE note (id INTEGER)")
  const d1_databases = [{ binding: "DB", database_name: databaseName, database_id: databaseId }]
  const wrangler = account.wrangler.open({ name: "faults", d1_databases })
  const sql = "INSERT INTO note VALUES (1); INSERT INTO note VALUES (2);"
  return {
    api: { method: "POST", path },
    d1: { database: databaseId, contains: "INSERT INTO note" },
    run: () => wrangler.run("d1", "execute", databaseName, "--remote", "-y", "--command", sql),
    state: async () => `${(await rows("SELECT id FROM note")).length} rows`,
    [Symbol.asyncDispose]: async () => wrangler[Symbol.dispose](),
  }
}

/** Whether the file's table, its row and the ledger agree. */
async function migrated({ has, rows }: Awaited<ReturnType<typeof database>>): Promise<string> {
  const isThere = await has("note")
  const notes = isThere ? (await rows("SELECT id FROM note")).length : 0
  const recorded = (await has("d1_migrations"))
    ? (await rows(`SELECT name FROM d1_migrations WHERE name = '${ledgerRow}'`)).length > 0
    : false
  const applied = isThere ? (notes === 1 ? "applied" : "half applied") : "not applied"
  return `${applied}, ${recorded ? "recorded" : "not recorded"}`
}

async function withWranglerMigrations(account: FaultAccount) {
  const target = await database(account)
  const { databaseName, databaseId, path } = target
  const d1_databases = [{ binding: "DB", database_name: databaseName, database_id: databaseId }]
  const wrangler = account.wrangler.open({ name: "faults", d1_databases })
  mkdirSync(join(wrangler.directory, "migrations"))
  writeFileSync(join(wrangler.directory, "migrations", ledgerRow), migration)
  return {
    api: { method: "POST", path, contains: "CREATE TABLE note" },
    d1: { database: databaseId, contains: "CREATE TABLE note" },
    run: () => wrangler.run("d1", "migrations", "apply", databaseName, "--remote"),
    state: () => migrated(target),
    [Symbol.asyncDispose]: async () => wrangler[Symbol.dispose](),
  }
}

async function withMigrations(account: FaultAccount) {
  const target = await database(account)
  const { databaseId, path } = target
  const folder = await createMigrationFolder({ [ledgerRow]: migration })
  const inputs = {
    accountId: account.cloudflare.accountId,
    databaseId,
    scriptName: "no-worker",
    protectLive: true,
    ...(await folder.declared()),
  }
  return {
    api: { method: "POST", path, contains: "CREATE TABLE note" },
    d1: { database: databaseId, contains: "CREATE TABLE note" },
    run: () => account.provider.create("Migrations", inputs),
    state: () => migrated(target),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

async function withRelease(account: FaultAccount) {
  const { scriptName, workerId, first, state } = await liveWorker(account)
  const second = await account.account.createVersion(workerId, "well")
  const inputs = (versionId: string) => ({
    accountId: account.cloudflare.accountId,
    scriptName,
    versionId,
    url: `http://${workersDevHost(scriptName)}`,
    connectTo: account.cloudflare.edge,
    steps: [100],
  })
  const { id, outputs: olds } = await account.provider.create("Release", inputs(first))
  const change = { id, olds, oldInputs: inputs(first), inputs: inputs(second) }
  return {
    api: {
      method: "POST",
      path: `*/scripts/${scriptName}/deployments`,
      contains: '"percentage":0',
    },
    run: () => account.provider.update("Release", change, { timeout: 10 }),
    state,
    [Symbol.asyncDispose]: async () => {},
  }
}

async function withVersion(account: FaultAccount) {
  const { scriptName, state } = await liveWorker(account)
  const inputs = {
    accountId: account.cloudflare.accountId,
    scriptName,
    bundle: storeBundle([{ name: "worker.js", content: Buffer.from(worker) }]),
    compatibilityDate: "2026-08-01",
    compatibilityFlags: [],
    bindings: { VERSION: { type: "version_metadata" } },
  }
  return {
    api: { method: "POST", path: `*/workers/${scriptName}/versions` },
    run: () => account.provider.create("Version", inputs),
    state,
    [Symbol.asyncDispose]: async () => {},
  }
}

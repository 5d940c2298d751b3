import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { requestService } from "../../../deploy/release/service-request.ts"
import type { Behaviour, Binding } from "../../../deploy/testing/account.ts"
import {
  type SchemaUse,
  schemaUseBinding,
  writeSchemaUse,
} from "../../../deploy/version/schema-use.ts"
import {
  newPlan,
  type Plan,
  deployMaintenanceWorker,
  deploymentsOf,
} from "../restore/maintenance-worker.ts"
import { restore, type Target } from "../restore/restore.ts"
import { readContents } from "../table-contents.ts"
import type { startAccount } from "./database-site.ts"

type AccountUnderTest = Awaited<ReturnType<typeof startAccount>>

const files = {
  "0000_user.sql": "CREATE TABLE user (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL);",
  "0001_session.sql":
    "CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user(id) ON DELETE CASCADE);",
}

const secret = { type: "secret_text", name: "ROTATED", text: "the secret" } as const

/** A stack whose versions were deployed one after the other; the last one serves. */
export async function openRestoreSite(underTest: AccountUnderTest, ...behaviours: Behaviour[]) {
  const { account } = underTest
  const site = await underTest.openSite(files)
  await site.migrate()
  const workerId = await account.createWorker(site.worker)
  const versions: string[] = []
  const deploy = async (behaviour: Behaviour, extraBindings: Binding[] = []) => {
    const version = await account.createVersion(workerId, behaviour, [secret, ...extraBindings])
    await account.deploy(site.worker, { [version]: 100 })
    return version
  }
  for (const behaviour of behaviours) versions.push(await deploy(behaviour))
  const directory = await mkdtemp(join(tmpdir(), "accounts-restore-test-"))
  const query = (sql: string) => account.query(site.databaseId, sql)
  await query(
    "INSERT INTO user VALUES ('u1', 1), ('u2', 2); INSERT INTO session VALUES ('s1', 'u1')",
  )
  const tableLines: string[] = []
  const printed: string[] = []
  const options = {
    signal: new AbortController().signal,
    patience: 60_000,
    takeOver: false,
    say: (line: string) => void printed.push(line),
    hold: { expect: () => {} },
    confirm: async (losses: string) => void tableLines.push(losses),
  }
  return {
    ...site,
    versions,
    directory,
    query,
    told: tableLines,
    said: printed,
    options,
    /** Deploys a version that declares which tables and columns it uses. */
    release: (use: SchemaUse) =>
      deploy("well", [
        { type: "d1", name: "DB", database_id: site.databaseId },
        { type: "plain_text", name: schemaUseBinding, text: writeSchemaUse(use) },
      ]),
    contents: () => readContents(site.database),
    ask: (path: string, headers = {}) =>
      requestService({ address: site.address, path, headers, timeout: 60_000 }),
    live: async () => (await account.deployments(site.worker))[0]?.shares,
    restore: (target: Target, overrides: Partial<typeof options> = {}) =>
      restore(site, target, { ...options, ...overrides }),
    /** Leaves the site like a run that was killed. */
    async killed(change: Partial<Plan>, source: Plan["source"]) {
      const live = await deploymentsOf(site).live()
      if (live === undefined) throw new Error("nothing is live")
      const plan = newPlan(site.databaseId, { source, before: live.split })
      const holder = { ...plan.holder, pid: 999_999_999 }
      await deployMaintenanceWorker(site, { ...plan, holder, ...change }, live)
    },
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true })
      await site[Symbol.asyncDispose]()
    },
  }
}

import { applyMigrations } from "@accounts-stack/d1-migrations"
import { workersDevHost } from "@accounts-stack/local/seed"
import { afterAll } from "vitest"

import { createApi } from "../../../deploy/api.ts"
import { openAccount } from "../../../deploy/testing/account.ts"
import { startFaultProxy } from "../../../deploy/testing/fault-proxy.ts"
import { startLocalCloudflare } from "../../../deploy/testing/local-cloudflare.ts"
import { createMigrationFolder } from "../../../deploy/testing/migration-folder.ts"
import { openDatabase, readMigrations } from "../../../environment/own-names.ts"

const silent = { info: () => {}, warn: () => {} }

let sites = 0

/** A local Cloudflare for a file of tests, behind a proxy that injects faults. */
export async function startAccount() {
  const cloudflare = await startLocalCloudflare()
  const proxy = await startFaultProxy(cloudflare.api)
  afterAll(async () => {
    for (const part of [proxy, cloudflare]) await part[Symbol.asyncDispose]()
  })
  const account = openAccount(cloudflare)
  const { accountId, token } = cloudflare
  const api = createApi({ baseUrl: proxy.url, token, pause: async () => {} })

  return {
    cloudflare,
    proxy,
    account,
    /** Sets conditions that are not single faults, such as a rule of the zone. */
    async setConditions(settings: Record<string, unknown>): Promise<void> {
      await cloudflare.local("/local/settings", settings)
    },
    /** A database with migrations of its own, and the name of a Worker that does not exist yet. */
    async openSite(files: Record<string, string>) {
      const folder = await createMigrationFolder(files)
      sites += 1
      const worker = `site-${sites}`
      const databaseId = await account.createDatabase(worker)
      const database = openDatabase({ api, accountId, databaseId })
      const url = `http://${workersDevHost(worker)}`
      return {
        stack: worker,
        place: { stack: worker, local: false },
        api,
        accountId,
        databaseId,
        database,
        worker,
        address: { url, connectTo: cloudflare.edge },
        folder,
        files: () => readMigrations(folder.directory),
        async migrate() {
          await applyMigrations({
            database,
            files: await readMigrations(folder.directory),
            log: silent,
          })
        },
        [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
      }
    },
  }
}

import type { openAccount } from "./account.ts"
import type { Fault, FaultProxy } from "./fault-proxy.ts"
import type { LocalCloudflare } from "./local-cloudflare.ts"
import { createMigrationFolder } from "./migration-folder.ts"

type Surroundings = {
  cloudflare: LocalCloudflare
  account: ReturnType<typeof openAccount>
  proxy: FaultProxy
}

let databases = 0

/** A database of the test's own, and a directory of migrations for it. */
export async function setUpDatabase(
  { cloudflare, account, proxy }: Surroundings,
  files: Record<string, string>,
) {
  const folder = await createMigrationFolder(files)
  databases += 1
  const name = `test-${databases}`
  const databaseId = await account.createDatabase(name)
  const path = new RegExp(`${databaseId}/query`)
  const query = (sql: string) => account.query(databaseId, sql)
  return {
    ...folder,
    name,
    databaseId,
    query,
    inputs: async () => ({
      accountId: cloudflare.accountId,
      databaseId,
      ...(await folder.declared()),
    }),
    /** Names of everything that is in the schema. */
    tables: async () => {
      const rows = await query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      return rows.map((row) => JSON.stringify(row)).join()
    },
    ledger: () =>
      query(`SELECT l.name, length(s.sha256) AS digits FROM d1_migrations l
        LEFT JOIN accounts_migrations s ON s.name = l.name ORDER BY l.id`),
    /** Spoils the one request that carries the file of this name. */
    spoil(file: string, fault: Fault) {
      proxy.inject({ method: "POST", path, body: carrying(file), fault })
    },
    /** Spoils the trial request that has to fail without a trace. */
    spoilTrial(fault: Fault) {
      proxy.inject({ method: "POST", path, body: /CREATE TABLE accounts_atomicity/, fault })
    },
    /** The requests that carried the file of this name. */
    sent: (file: string) =>
      proxy.seen.filter((one) => path.test(one.path) && carrying(file).test(one.body)),
  }
}

function carrying(file: string): RegExp {
  return new RegExp(`VALUES \\('${file.replace(".", "\\.")}'\\)`)
}

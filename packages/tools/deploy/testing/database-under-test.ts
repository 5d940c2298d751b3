import type { openAccount } from "./account.ts"
import type { Fault, FaultProxy } from "./fault-proxy.ts"
import type { LocalCloudflare } from "./local-cloudflare.ts"
import { createMigrationFolder } from "./migration-folder.ts"

type TestAccount = {
  cloudflare: Pick<LocalCloudflare, "accountId">
  account: ReturnType<typeof openAccount>
  proxy: FaultProxy
}

let databases = 0

/** A new database and a directory of migrations for it. */
export async function setUpDatabase(
  { cloudflare, account, proxy }: TestAccount,
  files: Record<string, string>,
  /** The Worker whose versions use it; by default there is none. */
  scriptName = "no-worker",
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
      scriptName,
      protectLive: true,
      ...(await folder.declared()),
    }),
    /** The names of all tables, joined. */
    tables: async () => {
      const rows = await query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      return rows.map((row) => JSON.stringify(row)).join()
    },
    ledger: () =>
      query(`SELECT l.name, length(s.sha256) AS digits FROM d1_migrations l
        LEFT JOIN accounts_migrations s ON s.name = l.name ORDER BY l.id`),
    /** Injects a fault into the one request that carries this file. */
    fail(file: string, fault: Fault) {
      proxy.inject({ method: "POST", path, body: carrying(file), fault })
    },
    /** Injects a fault into the request that tries whether D1 undoes a failed request. */
    failTrial(fault: Fault) {
      proxy.inject({ method: "POST", path, body: /CREATE TABLE d1_migrations_atomicity/, fault })
    },
    /** The requests that carried this file. */
    sent: (file: string) =>
      proxy.seen.filter((request) => path.test(request.path) && carrying(file).test(request.body)),
  }
}

function carrying(file: string): RegExp {
  return new RegExp(`VALUES \\('${file.replace(".", "\\.")}'\\)`)
}

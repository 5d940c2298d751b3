import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { migrationsDirectory } from "../base/root.ts"
import { backUp } from "../cli/database/backup/backup.ts"
import { deleteDatabase } from "../cli/database/d1-account.ts"
import { restore, type Target } from "../cli/database/restore/restore.ts"
import { targetOfFile, targetOfMoment } from "../cli/database/restore/target.ts"
import { readContents } from "../cli/database/table-contents.ts"
import type { DeployedStack } from "../cli/stack/deployed-stack.ts"
import { whileHeld } from "../cli/stack/hold.ts"
import type { LocalStack } from "../cli/stack/local-stack.ts"
import { up } from "../cli/stack/stack.ts"
import { applyMigrations } from "../d1-migrations/apply/apply.ts"
import { parseMigration, readMigrations } from "../d1-migrations/files/migration-files.ts"
import { requestService } from "../provider/release/service-request.ts"
import { openAccount, openDeployed, stagingShaped } from "./testing/stacks/permanent-stack.ts"

const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }

const damage = `-- accounts:loses account, all rows: the drill wants every password gone
DELETE FROM account;
`

const unchanged = { same: expect.any(Number) }
const { signal } = new AbortController()
const log = { info: () => {}, warn: () => {} }

test("a drill: rows that a bad migration took come back, beside the service and from a file", async () => {
  await using account = await openAccount()
  const local = await account.open("staging", stagingShaped())
  await up(local.stack)
  await using site = await openDeployed(local)
  const signsIn = async () => (await post(site, "sign-in/email", ada)).status
  expect((await post(site, "sign-up/email", ada)).status).toBe(200)
  const directory = mkdtempSync(join(tmpdir(), "accounts-drill-"))
  using _ = { [Symbol.dispose]: () => rmSync(directory, { recursive: true }) }
  const file = join(directory, "staging.sql")
  await backUp(site, { output: file, signal, say: () => {} })
  const before = await readContents(site.database)

  const bad = parseMigration("0999_bad.sql", Buffer.from(damage))
  const files = [...(await readMigrations(migrationsDirectory)), bad]
  await applyMigrations({ database: site.database, files, log })
  expect(await signsIn()).toBe(401)
  await expect(up(local.stack)).rejects.toThrow(/staging was not updated/)
  const { records } = await site.database.ledger()
  const bookmark = records.get(bad.name)?.bookmark ?? ""
  await bringBack(local, { site, target: await targetOfMoment(site, bookmark) })
  expect(await readContents(site.database)).toEqual(before)
  expect(await signsIn()).toBe(200)
  // The release confirms what the restore deployed.
  await up(local.stack)
  expect((await up(local.stack)).changes).toEqual(unchanged)

  await deleteDatabase(site)
  await up(local.stack)
  await using made = await openDeployed(local)
  expect(made.databaseId).not.toBe(site.databaseId)
  expect(await signsIn()).toBe(401)
  await bringBack(local, { site: made, target: await targetOfFile(made, file) })
  expect(await readContents(made.database)).toEqual(before)
  expect(await signsIn()).toBe(200)
  await up(local.stack)
  expect((await up(local.stack)).changes).toEqual(unchanged)
})

type Restoring = { site: DeployedStack; target: Target }

function bringBack(local: LocalStack, { site, target }: Restoring) {
  const waiting = { signal, say: () => {}, patience: 120_000, takeOver: false }
  return whileHeld(
    { ...local, message: "holds the stack while its database is restored" },
    (hold) => restore(site, target, { ...waiting, hold, confirm: async () => {} }),
  )
}

function post({ address }: DeployedStack, step: string, body: unknown) {
  const headers = { origin: "https://app.staging.accounts.test" }
  return requestService({ address, path: `/api/auth/${step}`, headers, body, timeout: 60_000 })
}

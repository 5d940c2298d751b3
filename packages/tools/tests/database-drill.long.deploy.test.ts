import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { applyMigrations } from "@accounts-stack/d1-migrations"
import { expect, test } from "vitest"

import { migrationsDirectory } from "../base/root.ts"
import { backUp } from "../cli/database/backup/backup.ts"
import { deleteDatabase } from "../cli/database/d1-account.ts"
import { restore, type Target } from "../cli/database/restore/restore.ts"
import { targetOfFile, restorePointTarget } from "../cli/database/restore/target.ts"
import { readContents } from "../cli/database/table-contents.ts"
import type { DeployedStack } from "../cli/stack/deployed-stack.ts"
import { withStackLock } from "../cli/stack/hold.ts"
import { requestService } from "../deploy/release/service-request.ts"
import { parseMigration, readMigrations } from "../environment/own-names.ts"
import {
  openDeployed,
  openStacks,
  stagingShaped,
  type TestStack,
} from "./testing/stacks/test-stacks.ts"

const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }

const damage = `-- accounts:loses account, all rows: the drill wants every password gone
DELETE FROM account;
`

const { signal } = new AbortController()
const log = { info: () => {}, warn: () => {} }

test("a drill: rows that a bad migration took come back, beside the service and from a file", async () => {
  await using stacks = await openStacks()
  const local = await stacks.permanent("staging", stagingShaped())
  await local.up()
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
  await expect(local.up()).rejects.toThrow(/staging was not updated/)
  const { records } = await site.database.ledger()
  const bookmark = records.get(bad.name)?.bookmark ?? ""
  await bringBack(local, { site, target: await restorePointTarget(site, bookmark) })
  expect(await readContents(site.database)).toEqual(before)
  expect(await signsIn()).toBe(200)
  // The release confirms what the restore deployed.
  await local.up()
  expect((await local.up()).changes).toEqual({})

  await deleteDatabase(site)
  await local.up()
  await using deployedStack = await openDeployed(local)
  expect(deployedStack.databaseId).not.toBe(site.databaseId)
  expect(await signsIn()).toBe(401)
  await bringBack(local, { site: deployedStack, target: await targetOfFile(deployedStack, file) })
  expect(await readContents(deployedStack.database)).toEqual(before)
  expect(await signsIn()).toBe(200)
  await local.up()
  expect((await local.up()).changes).toEqual({})
})

type Restoring = { site: DeployedStack; target: Target }

function bringBack(local: TestStack, { site, target }: Restoring) {
  const waiting = { signal, say: () => {}, patience: 120_000, takeOver: false }
  return withStackLock(
    { ...local, message: "holds the stack while its database is restored" },
    (hold) => restore(site, target, { ...waiting, hold, confirm: async () => {} }),
  )
}

function post({ address }: DeployedStack, step: string, body: unknown) {
  const headers = { origin: "https://app.staging.accounts.test" }
  return requestService({ address, path: `/api/auth/${step}`, headers, body, timeout: 60_000 })
}

import { join } from "node:path"

import { countRows } from "@accounts-stack/d1-migrations/d1"

import { counted } from "../../../base/counted.ts"
import { messageOf } from "../../../base/failure.ts"
import type { DatabasePlace } from "../../../deploy/api.ts"
import { createPrivateFolder } from "../../process/private-folder.ts"
import { uploadOf, writePrivately } from "../backup/backup.ts"
import type { Dump } from "../backup/dump.ts"
import { writeOrdered } from "../backup/order.ts"
import { importDump } from "../d1-account.ts"
import { dropStatements } from "../drop-statements.ts"
import type { Site } from "./stop-traffic.ts"

/** Everything of a database goes, and what the file holds comes, as one import: all or nothing. */
export async function importFile(
  site: DatabasePlace & Pick<Site, "database">,
  { file, dump }: { file: string; dump: Dump },
): Promise<void> {
  await using folder = await createPrivateFolder()
  const script = join(folder.path, "restore.sql")
  const before = dropStatements(await site.database.allObjects())
  const header = dump.header || "restored"
  await writePrivately(script, (output) => writeOrdered({ file, dump, output, header, before }))
  // Once begun, it is D1's to finish.
  await importDump(site, await uploadOf(script), { signal: new AbortController().signal })
}

/** What is not as it should be after a restore; `rows` where they are known beforehand. */
export async function findProblems(
  { database }: Pick<Site, "database">,
  rows: Map<string, number> | undefined,
): Promise<string[]> {
  const { orphans } = await database.recorded()
  const problems = orphans.map(
    ({ name }) => `the ledger lacks ${name}, which is recorded beside it`,
  )
  const found = await countRows(database, await database.allObjects())
  for (const [table, expected] of rows ?? []) {
    if (table.startsWith("sqlite_") || found.get(table) === expected) continue
    problems.push(`${table} has ${counted(found.get(table) ?? 0, "row")} instead of ${expected}`)
  }
  // Cloudflare has refused this pragma before (cloudflare/workers-sdk#5598).
  const dangling = await database.ask("PRAGMA foreign_key_check").catch((error: unknown) => {
    problems.push(...(/not authorized/i.test(messageOf(error)) ? [] : [messageOf(error)]))
    return []
  })
  const { length } = dangling
  if (length > 0) problems.push(`${counted(length, "row")} with a reference to what is not there`)
  return problems
}

import type { Database } from "@accounts-stack/d1-migrations/d1"

import { Failure } from "../../../base/failure.ts"
import { physicalName } from "../../../environment/environment.ts"
import { openDatabase } from "../../../environment/own-names.ts"
import {
  engineOf,
  openAccount,
  readDeployedOutputs,
  readSite,
  type StackOptions,
} from "../../stack/deployed-stack.ts"
import { findDatabase } from "../d1-account.ts"

export type DatabaseToAdopt = AsyncDisposable & { database: Database }

/**
 * The database of a stack. Before the first deployment, which needs the ledger, it is the one with the
 * name that the stack file gives it.
 */
export async function openDatabaseToAdopt(options: StackOptions): Promise<DatabaseToAdopt> {
  const { stack } = options
  const site = readSite(options)
  const outputs = await readDeployedOutputs(await engineOf(options), stack)
  await using opened = new AsyncDisposableStack()
  const account = opened.use(await openAccount(site, options))
  const name = physicalName(stack, site)
  const databaseId = outputs?.databaseId ?? (await findDatabase(account, name))?.uuid
  if (databaseId === undefined) {
    const { accountId } = account
    throw new Failure(
      "COMMAND_FAILED",
      `The stack ${stack} is not deployed, and account ${accountId} has no database ${name} to adopt. accounts:name in its stack file is the name of the database.`,
    )
  }
  const database = openDatabase({ ...account, databaseId })
  const owned = opened.move()
  return { database, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

import { emptyDatabase, refuseFresh } from "../database/fresh.ts"
import { paint, say } from "../output.ts"
import { openAccount, readSite, type StackOptions } from "./deployed-stack.ts"
import { whileHeld } from "./hold.ts"
import type { Site } from "./stored-state.ts"

/**
 * `--fresh`: empties the database of `local` or of a preview, so that the deployment after it makes it
 * again. Not within that deployment: the engine has read the ledger before the program runs.
 * @throws Failure USAGE in a permanent environment, LOCKED while another run deploys
 */
export async function freshen(site: Site, options: StackOptions): Promise<void> {
  const message = "holds the stack while its database is emptied"
  await whileHeld({ ...site, message }, () => empty(options))
}

async function empty(options: StackOptions): Promise<void> {
  const site = { ...readSite(options), stack: options.stack }
  refuseFresh(site)
  await using account = await openAccount(site, options)
  const { api, accountId } = account
  sayEmptied(await emptyDatabase({ ...site, accountId, api }), options.stack)
}

function sayEmptied(wayBack: string | undefined, stack: string): void {
  if (wayBack === undefined) return say(`  The database of ${stack} is empty already.`)
  say(`${paint.green("✓")} emptied the database of ${stack}; to bring its rows back: ${wayBack}`)
}

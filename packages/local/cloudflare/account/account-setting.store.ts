import { account } from "../seed.ts"
import type { State } from "../state/state.ts"

const name = "workers_dev"

/** The account's name under workers.dev; undefined once it was deleted. */
export function readSubdomain(state: State): string | undefined {
  const [row] = state.all("SELECT value FROM account_setting WHERE name = ?", name)
  return row?.["value"] === "false" ? undefined : account.workersDevelopmentSubdomain
}

export function writeSubdomain(state: State, registered: boolean): void {
  const replacing = "ON CONFLICT (name) DO UPDATE SET value = excluded.value"
  state.insert("account_setting", { name, value: String(registered) }, replacing)
}

import * as z from "zod"

import { account } from "../seed.ts"
import type { State } from "../state/state.ts"

const Row = z.object({ value: z.string() })

/** With what a new account has. The usage models before `standard` are no longer offered. */
const defaults = { default_usage_model: "standard", green_compute: "false", workers_dev: "true" }

export type AccountSettingName = keyof typeof defaults

export function readAccountSetting(state: State, name: AccountSettingName): string {
  const row = state.find(Row, "SELECT value FROM account_setting WHERE name = ?", name)
  return row?.value ?? defaults[name]
}

export function writeAccountSetting(state: State, name: AccountSettingName, value: string): void {
  const replacing = "ON CONFLICT (name) DO UPDATE SET value = excluded.value"
  state.insert("account_setting", { name, value }, replacing)
}

/** The account's name under workers.dev; undefined once it was deleted. */
export function readSubdomain(state: State): string | undefined {
  const registered = readAccountSetting(state, "workers_dev") === "true"
  return registered ? account.workersDevelopmentSubdomain : undefined
}

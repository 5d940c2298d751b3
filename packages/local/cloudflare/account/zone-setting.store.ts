import * as z from "zod"

import { account } from "../seed.ts"
import type { State } from "../state/state.ts"

const Row = z.object({ value: z.string(), modified_on: z.string() })

/**
 * Settings of a zone, with what a new zone has: Browser Integrity Check is on
 * (developers.cloudflare.com/waf/tools/browser-integrity-check), Bot Fight Mode has to be turned on
 * (developers.cloudflare.com/bots/get-started/bot-fight-mode).
 */
const defaults = { browser_check: true, fight_mode: false }

export type ZoneSettingName = keyof typeof defaults

export function readZoneSetting(state: State, zoneId: string, name: ZoneSettingName) {
  const row = state.find(
    Row,
    "SELECT value, modified_on FROM zone_setting WHERE zone_id = ? AND name = ?",
    zoneId,
    name,
  )
  if (row === undefined) return { on: defaults[name], modifiedOn: account.createdOn }
  return { on: row.value === "on", modifiedOn: row.modified_on }
}

type Change = { zoneId: string; name: ZoneSettingName; on: boolean }

export function writeZoneSetting(state: State, { zoneId, name, on }: Change): void {
  const row = {
    zone_id: zoneId,
    name,
    value: on ? "on" : "off",
    modified_on: new Date().toISOString(),
  }
  const replacing = "value = excluded.value, modified_on = excluded.modified_on"
  state.insert("zone_setting", row, `ON CONFLICT (zone_id, name) DO UPDATE SET ${replacing}`)
}

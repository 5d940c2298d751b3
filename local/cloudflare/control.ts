import type { Blobs } from "./blobs.ts"
import type { Bookmarks } from "./d1/bookmarks.ts"
import type { Transfers } from "./d1/transfers.ts"
import type { UsageLog } from "./d1/usage.ts"
import type { Faults } from "./faults/faults.ts"
import type { SettingsStore } from "./faults/settings.ts"
import type { Journal } from "./journal.ts"
import type { Plane } from "./plane/plane.ts"
import type { Serial } from "./serial.ts"
import type { State } from "./state.ts"
import type { AssetTokens } from "./workers/asset-token.ts"
import type { Crons } from "./workers/crons.ts"
import type { Live } from "./workers/live.ts"
import type { Tails } from "./workers/tails.ts"

/** What the routes work with. */
export type Control = {
  state: State
  blobs: Blobs
  plane: Plane
  journal: Journal
  /** Keys: `databases`, `database:<id>`, `worker:<name>`, `hostnames`. */
  serial: Serial
  bookmarks: Bookmarks
  transfers: Transfers
  usage: UsageLog
  assetTokens: AssetTokens
  tails: Tails
  live: Live
  crons: Crons
  faults: Faults
  settings: SettingsStore
}

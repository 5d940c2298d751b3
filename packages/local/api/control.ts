import type { Faults } from "../faults/faults.ts"
import type { SettingsStore } from "../faults/settings.ts"
import type { EventLog, Invocations } from "../log/event-log.ts"
import type { Plane } from "../plane/plane.ts"
import type { Blobs, KeyedLock, State } from "../state/state.ts"
import type { Bookmarks } from "./bookmarks.ts"
import type { Crons } from "./crons.ts"
import type { LiveVersions } from "./live-versions.ts"
import type { TransferFiles } from "./transfer-files.ts"

export type Control = {
  state: State
  blobs: Blobs
  plane: Plane
  log: EventLog
  invocations: Invocations
  /** Keys: `databases`, `database:<id>`, `worker:<name>`, `hostnames`. */
  withLock: KeyedLock
  bookmarks: Bookmarks
  transferFiles: TransferFiles
  live: LiveVersions
  crons: Crons
  faults: Faults
  settings: SettingsStore
}

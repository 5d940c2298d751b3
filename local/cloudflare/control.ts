import type { Blobs } from "./blobs.ts"
import type { Journal } from "./journal.ts"
import type { Plane } from "./plane/plane.ts"
import type { Serial } from "./serial.ts"
import type { State } from "./state.ts"
import type { Crons } from "./workers/crons.ts"
import type { Live } from "./workers/live.ts"

/** What the routes work with. */
export type Control = {
  state: State
  blobs: Blobs
  plane: Plane
  journal: Journal
  /** Keys: `databases`, `database:<id>`, `worker:<name>`, `hostnames`. */
  serial: Serial
  live: Live
  crons: Crons
}

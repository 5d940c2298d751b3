import { AsyncLocalStorage } from "node:async_hooks"
import type { DatabaseSync } from "node:sqlite"

export type Disk = ReturnType<typeof createDisk>

/** Simulates a full disk of the control plane for single requests. */
export function createDisk() {
  const full = new AsyncLocalStorage<true>()
  return {
    whileFull: <T>(work: () => T): T => full.run(true, work),
    isFull: () => full.getStore() ?? false,
  }
}

export function noSpaceError(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" })
}

/**
 * Forbids the database to grow, then makes it grow: the error, and the fate of the transaction, are
 * SQLite's own.
 *
 * @throws SQLITE_FULL
 */
export function overfill(database: DatabaseSync): void {
  database.exec("PRAGMA max_page_count = 1")
  try {
    database.exec(
      "CREATE TABLE filling AS SELECT zeroblob((freelist_count + 2) * page_size) FROM pragma_freelist_count, pragma_page_size",
    )
  } finally {
    database.exec(`PRAGMA max_page_count = ${defaultPageLimit}`)
  }
}

/** SQLite's default of `max_page_count`. */
const defaultPageLimit = 4_294_967_294

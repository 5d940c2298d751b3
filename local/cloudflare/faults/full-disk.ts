import { AsyncLocalStorage } from "node:async_hooks"
import type { DatabaseSync } from "node:sqlite"

/** The disk of the control plane, which may be full for one request and not for the next. */
export type Disk = {
  whileFull<T>(work: () => T): T
  isFull(): boolean
}

export function createDisk(): Disk {
  const full = new AsyncLocalStorage<true>()
  return {
    whileFull: (work) => full.run(true, work),
    isFull: () => full.getStore() ?? false,
  }
}

/** What a write to a file meets. */
export function noSpaceError(): Error {
  return Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" })
}

/**
 * Leaves the database no page to grow by, then asks for one: the error and what becomes of the
 * transaction are SQLite's own.
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
    database.exec(`PRAGMA max_page_count = ${mostPages}`)
  }
}

/** SQLite's default. */
const mostPages = 4_294_967_294

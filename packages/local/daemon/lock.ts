import { DatabaseSync } from "node:sqlite"

import { ProcessStartError } from "./process-start-error.ts"

/**
 * Locks a state folder for this process with SQLite's own lock on an open transaction: the kernel
 * releases it when the process dies, however it dies, so a lock is never stale. Other processes can
 * still read the holder's pid, because a reserved lock does not block readers.
 *
 * @throws ProcessStartError STATE_LOCKED
 */
export function acquireLock(file: string): { release(): void } {
  const database = new DatabaseSync(file, { timeout: 250 })
  try {
    database.exec("CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL) STRICT")
    database.exec("BEGIN IMMEDIATE; DELETE FROM holder")
    database.prepare("INSERT INTO holder (pid) VALUES (?)").run(process.pid)
    database.exec("COMMIT")
    // A process that gets in between wrote its own pid and wins; this statement then fails.
    database.exec("BEGIN IMMEDIATE")
  } catch (cause) {
    const pid = holder(database)
    database.close()
    throw new ProcessStartError(
      "STATE_LOCKED",
      `${file} is held by process id ${pid ?? "unknown"}. Use that process, or stop it first: \`kill ${pid ?? "unknown"}\``,
      { cause, ...(pid !== undefined && { holder: pid }) },
    )
  }
  return { release: () => database.close() }
}

/** Undefined while it takes the lock. */
function holder(database: DatabaseSync): number | undefined {
  try {
    const pid = database.prepare("SELECT pid FROM holder").get()?.["pid"]
    return pid === undefined ? undefined : Number(pid)
  } catch {
    return undefined
  }
}

import { DatabaseSync } from "node:sqlite"

import { StartFailure } from "./start-failure.ts"

/**
 * Holds a state directory for this process. The lock is SQLite's own on an open transaction: the
 * kernel drops it with the process, however it dies, so there is no stale lock to judge.
 * Others still read who holds it, because a transaction that only reserves does not keep readers out.
 *
 * @throws StartFailure STATE_LOCKED
 */
export function acquireLock(file: string): { release(): void } {
  const database = new DatabaseSync(file, { timeout: 250 })
  try {
    database.exec("CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL) STRICT")
    database.exec("BEGIN IMMEDIATE; DELETE FROM holder")
    database.prepare("INSERT INTO holder (pid) VALUES (?)").run(process.pid)
    database.exec("COMMIT")
    // Whoever slips in between wrote its own pid and wins: this one then fails here.
    database.exec("BEGIN IMMEDIATE")
  } catch (cause) {
    const pid = holder(database)
    database.close()
    throw new StartFailure(
      "STATE_LOCKED",
      `${file} is held by process id ${pid}. Use that one, or stop it first: \`kill ${pid}\``,
      { cause },
    )
  }
  return { release: () => database.close() }
}

function holder(database: DatabaseSync): string {
  try {
    return String(database.prepare("SELECT pid FROM holder").get()?.["pid"] ?? "unknown")
  } catch {
    return "unknown"
  }
}

import { createHash, createHmac } from "node:crypto"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

/** Miniflare's Durable Object class for D1, from which file names derive. */
const namespace = "miniflare-D1DatabaseObject"

/** The file of a database; workerd names it after the id of the Durable Object. */
export function databaseFile(storageDirectory: string, id: string): string {
  const key = createHash("sha256").update(namespace).digest()
  const name = createHmac("sha256", key).update(id).digest().subarray(0, 16)
  const check = createHmac("sha256", key).update(name).digest().subarray(0, 16)
  const file = `${Buffer.concat([name, check]).toString("hex")}.sqlite`
  return join(storageDirectory, "d1", namespace, file)
}

export function removeDatabase(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true })
}

/** Size in bytes, including the write-ahead log; 0 before the first use. */
export function databaseBytes(file: string): number {
  if (!existsSync(file)) return 0
  // A storage process restarted after a kill locks the file while it replays the log.
  const database = new DatabaseSync(file, { readOnly: true, timeout: 1000 })
  try {
    const row = database
      .prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
      .get()
    return Number(row?.["bytes"] ?? 0)
  } finally {
    database.close()
  }
}

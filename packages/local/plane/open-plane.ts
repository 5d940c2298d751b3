import { createHash, createHmac } from "node:crypto"
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

import { openChildProcesses } from "./child-processes.ts"
import { type DatabaseFaults, type Plane, QueryError, type WorkerOutput } from "./plane.ts"
import { openStorageProcess } from "./storage/storage-process.ts"
import { VersionPool } from "./version-pool.ts"

/** Miniflare's Durable Object class for D1, from which file names derive. */
const namespace = "miniflare-D1DatabaseObject"

/** Returns the file of a database. workerd names it after the id of the Durable Object. */
function databaseFile(storageDirectory: string, id: string): string {
  const key = createHash("sha256").update(namespace).digest()
  const name = createHmac("sha256", key).update(id).digest().subarray(0, 16)
  const check = createHmac("sha256", key).update(name).digest().subarray(0, 16)
  const file = `${Buffer.concat([name, check]).toString("hex")}.sqlite`
  return join(storageDirectory, "d1", namespace, file)
}

function removeDatabase(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true })
}

/** Returns the size in bytes, including the write-ahead log; 0 before the first use. */
function databaseBytes(file: string): number {
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

type PlaneOptions = {
  directory: string
  onLog: (line: string) => void
  onOutput?: (output: WorkerOutput) => void
  /** Injects faults into queries. */
  faults?: DatabaseFaults
}

export async function openPlane({
  directory,
  onLog,
  onOutput = () => {},
  faults,
}: PlaneOptions): Promise<Plane> {
  const storage = join(directory, "storage")
  mkdirSync(storage, { recursive: true, mode: 0o700 })
  const children = openChildProcesses(join(directory, "processes.json"))
  const databases = new Set<string>()
  // workerd may still hold the file open, so writes to a reused id would vanish.
  const dropped = new Set<string>()
  const fileOf = (id: string) => databaseFile(storage, id)

  const storageProcess = await openStorageProcess({
    directory: storage,
    children,
    isKnown: (id) => databases.has(id),
    ...(faults && { faults }),
    onMove: () => pool.rebootAll(),
    onLog,
  }).catch((error: unknown) => {
    children.close()
    throw error
  })
  const pool = new VersionPool({
    children,
    storage: storageProcess.address,
    onLog,
    onOutput,
  })

  return {
    async openDatabase(id) {
      if (dropped.has(id)) {
        throw new Error(`The database ${id} was dropped; create one with a new id`)
      }
      databases.add(id)
    },
    async dropDatabase(id) {
      if (!databases.delete(id) && !existsSync(fileOf(id))) return
      dropped.add(id)
      await storageProcess.forget(id)
      removeDatabase(fileOf(id))
    },
    async query(id, statements) {
      if (!databases.has(id)) throw new QueryError(`The database ${id} could not be found`)
      return storageProcess.query(id, statements)
    },
    databaseFile: fileOf,
    databaseSize: (id) => databaseBytes(fileOf(id)),
    start: (version) => pool.start(version),
    running: (versionId) => pool.running(versionId),
    pin: (versionIds) => pool.pin(versionIds),
    retire: (versionId) => pool.retire(versionId),
    serve: (versionId, exchange) => pool.serve(versionId, exchange),
    fireCron: (versionId, cron, time) => pool.fireCron(versionId, cron, time),
    faultsChanged: () => storageProcess.faultsChanged(),
    processorMilliseconds: (versionId) => pool.processorMilliseconds(versionId),
    processes: children.list,
    async close() {
      await pool.close()
      await storageProcess.close()
      children.close()
    },
  }
}

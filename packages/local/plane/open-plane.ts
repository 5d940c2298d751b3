import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"

import { openChildProcesses } from "./child-processes.ts"
import { type DatabaseFaults, type Plane, QueryError, type WorkerOutput } from "./plane.ts"
import { databaseBytes, databaseFile, removeDatabase } from "./storage/database-file.ts"
import { openStorageProcess } from "./storage/storage-process.ts"
import { VersionPool } from "./version-pool.ts"

export type PlaneOptions = {
  directory: string
  onLog: (line: string) => void
  onOutput?: (output: WorkerOutput) => void
  /** Faults to inject into queries. */
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

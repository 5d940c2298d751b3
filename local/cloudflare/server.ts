import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"

import { createAdaptorServer } from "@hono/node-server"

import { writeAtomically } from "../daemon/file.ts"
import { idleTime, listen, refusingTakenPort, stopListening } from "../daemon/listen.ts"
import { acquireLock } from "../daemon/lock.ts"
import { openToken } from "../daemon/token.ts"
import { createApi } from "./api.ts"
import { createAssetTokens } from "./assets/asset-token.ts"
import { deleteExpiredUploads } from "./assets/asset.store.ts"
import { openAuthority } from "./authority/authority.ts"
import { openRecorder } from "./contract/recorder.ts"
import { openBookmarks } from "./d1/bookmarks.ts"
import { listDatabases } from "./d1/database.store.ts"
import { createQueryUsageLog } from "./d1/query-usage.ts"
import { createTransferFiles } from "./d1/transfer-files.ts"
import { openEdgeListeners } from "./edge/edge-listeners.ts"
import { withFaults } from "./faults/api.ts"
import { createDatabaseFaults } from "./faults/database.ts"
import { createDisk } from "./faults/disk.ts"
import { createEdgeFaults } from "./faults/edge.ts"
import { createFaults } from "./faults/faults.ts"
import { createSettings } from "./faults/settings.ts"
import { openJournal } from "./log/journal.ts"
import { openPlane } from "./plane/open.ts"
import type { Plane } from "./plane/plane.ts"
import { account } from "./seed.ts"
import { openBlobs } from "./state/blobs.ts"
import { createSerial } from "./state/keyed-lock.ts"
import type { State } from "./state/state.ts"
import { openState } from "./state/state.ts"
import { describeStatus } from "./status.ts"
import { isWebSocket } from "./tails/tail-socket.ts"
import { createTails } from "./tails/tails.ts"
import { createCrons } from "./triggers/crons.ts"
import { createLive } from "./workers/live.ts"
import { referencedBlobs } from "./workers/version.store.ts"

type Endpoint = {
  pid: number
  api: string
  edge: string
  edgeTls: string
  accountId: string
  startedAt: string
}

export type ServerOptions = {
  /** State goes to `<directory>/cloudflare`. */
  directory: string
  /** 0 picks any free port. */
  apiPort: number
  port: number
  /** Unless `required`, a taken port is replaced by any free one. */
  https: { port: number; required: boolean }
  /** Milliseconds until a change reaches the edge; 0 by default. */
  propagationMs?: number
  onLog: (line: string) => void
}

export type LocalCloudflare = { endpoint: Endpoint; token: string; close(): Promise<void> }

/** @throws StartFailure, after closing everything opened so far */
export async function startServer(options: ServerOptions): Promise<LocalCloudflare> {
  const closers: (() => Promise<void> | void)[] = []
  async function close() {
    for (const closer of closers.splice(0).toReversed()) await closer()
  }
  try {
    return { ...(await open(options, (closer) => closers.push(closer))), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function open(
  { directory, apiPort, port, https, propagationMs = 0, onLog }: ServerOptions,
  defer: (closer: () => Promise<void> | void) => void,
) {
  const root = join(directory, "cloudflare")
  mkdirSync(root, { recursive: true, mode: 0o700 })
  chmodSync(root, 0o700)

  const lock = acquireLock(join(root, "lock"))
  defer(() => lock.release())
  const endpointFile = join(root, "endpoint.json")
  // Left behind by a killed process: a client must not mistake it for this one's.
  rmSync(endpointFile, { force: true })
  const disk = createDisk()
  const state = openState(join(root, "control.db"), { disk })
  defer(() => state.close())
  const journal = openJournal(join(root, "log.ndjson"))
  defer(() => journal.close())
  defer(journal.subscribe((entry) => entry.event === "problem" && onLog(entry.message)))
  const blobs = openBlobs(join(root, "blobs"), disk)
  deleteExpiredUploads(state)
  blobs.sweep(referencedBlobs(state))
  const token = openToken(join(root, "token"))

  const settings = createSettings({ propagationMs })
  const faults = createFaults(journal)
  const tails = createTails({ follow: (scripts) => plane.follow(scripts) })
  const plane = await openPlane({
    directory: root,
    onLog,
    onTraces: tails.deliver,
    faults: createDatabaseFaults(faults, () => plane),
  })
  defer(() => plane.close())
  const live = createLive({ state, plane, blobs, journal, settings })
  defer(() => live.stop())
  await openDatabases(state, plane)
  const bookmarks = openBookmarks(join(root, "bookmarks"), { state, plane })
  bookmarks.sweep()
  await live.startAll()
  const crons = createCrons({ state, plane, journal })
  crons.refresh()
  defer(() => crons.stop())

  const listeners = await openEdgeListeners({
    http: port,
    https,
    authority: await openAuthority(join(root, "authority")),
    edge: {
      plane,
      table: live.table,
      wake: live.wake,
      onRequest: (request) => journal.record({ event: "request", ...request }),
      faults: createEdgeFaults(faults, plane),
    },
    onLog,
  })
  defer(() => listeners.close())

  const control = {
    state,
    blobs,
    plane,
    journal,
    serial: createSerial(),
    bookmarks,
    transferFiles: createTransferFiles(),
    queryUsage: createQueryUsageLog(),
    assetTokens: createAssetTokens(token),
    tails,
    live,
    crons,
    faults,
    settings,
  }
  const startedAt = new Date().toISOString()
  const app = createApi(control, token, () => ({ ...endpoint, ...describeStatus(control) }))
  const recorder = openRecorder(process.env["LOCAL_CLOUDFLARE_EXCHANGES"], app.routes)
  defer(() => recorder.close())
  const server = createAdaptorServer({
    fetch: withFaults(recorder.recorded(app.fetch), { faults, settings, disk, plane }),
    serverOptions: { shouldUpgradeCallback: isWebSocket, keepAliveTimeout: idleTime },
  })
  server.on("upgrade", tails.accept)
  const boundApiPort = await refusingTakenPort({ port: apiPort, flag: "--api-port" }, () =>
    listen(server, apiPort),
  )
  defer(() => stopListening(server))
  defer(() => tails.close())

  const endpoint: Endpoint = {
    pid: process.pid,
    api: `http://127.0.0.1:${boundApiPort}/client/v4`,
    edge: `http://127.0.0.1:${listeners.http}`,
    edgeTls: `https://127.0.0.1:${listeners.https}`,
    accountId: account.id,
    startedAt,
  }
  writeAtomically(endpointFile, `${JSON.stringify(endpoint)}\n`)
  defer(() => rmSync(endpointFile, { force: true }))
  return { endpoint, token }
}

async function openDatabases(state: State, plane: Plane) {
  await Promise.all(listDatabases(state).map(({ id }) => plane.openDatabase(id)))
}

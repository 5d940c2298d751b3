import { join } from "node:path"

import { createAdaptorServer } from "@hono/node-server"

import { openBookmarks } from "../api/bookmarks.ts"
import { createCrons } from "../api/crons.ts"
import { listDatabases } from "../api/database.ts"
import { LiveVersions } from "../api/live-versions.ts"
import { describeStatus } from "../api/local.ts"
import { createApi } from "../api/routes.ts"
import { createTransferFiles } from "../api/transfer-files.ts"
import { referencedBlobs } from "../api/version.ts"
import { findWorker, samplingOf } from "../api/worker.ts"
import { idleTimeout, listen, rejectPortInUse, stopListening } from "../daemon/listen.ts"
import type { StateFolder } from "../daemon/state-folder.ts"
import { openAuthority } from "../edge/authority.ts"
import { openEdgeListeners } from "../edge/edge.ts"
import { createProtection } from "../edge/zone-protection.ts"
import { createFaults } from "../faults/faults.ts"
import { withFaults, createDatabaseFaults, createEdgeFaults } from "../faults/injected-faults.ts"
import { createSettings } from "../faults/settings.ts"
import { openEventLog, createInvocations } from "../log/event-log.ts"
import { openPlane } from "../plane/open-plane.ts"
import { account } from "../state/seed.ts"
import { createKeyedLock, openBlobs, openState } from "../state/state.ts"
import type { Routes } from "./contract/testing/recorder.ts"

type Endpoint = {
  pid: number
  api: string
  edge: string
  edgeTls: string
  accountId: string
  startedAt: string
}

export type ServerOptions = {
  /** State is stored in `<directory>/cloudflare`. */
  directory: string
  /** 0 picks any free port. */
  apiPort: number
  port: number
  /** Unless `required`, a taken port is replaced by any free one. */
  https: { port: number; required: boolean }
  onLog: (line: string) => void
}

export type LocalCloudflare = { endpoint: Endpoint; token: string; close(): Promise<void> }

/** Opens the control plane. Defers the closing of each part, even if a later one fails. @throws ProcessStartError */
export async function openControlPlane(
  folder: StateFolder,
  { apiPort, port, https, onLog }: ServerOptions,
  defer: (closer: () => Promise<void> | void) => void,
): Promise<Pick<LocalCloudflare, "endpoint" | "token">> {
  const { directory: root, token } = folder
  const state = openState(join(root, "control.db"))
  defer(() => state.close())
  const log = openEventLog(join(root, "log.ndjson"))
  defer(() => log.close())
  defer(log.subscribe((entry) => entry.event === "problem" && onLog(entry.message)))
  const blobs = openBlobs(join(root, "blobs"))
  blobs.sweep(referencedBlobs(state))

  const settings = createSettings()
  const faults = createFaults(log)
  const plane = await openPlane({
    directory: root,
    onLog,
    onOutput: (output) => log.record({ event: "worker", ...output }),
    faults: createDatabaseFaults(faults, () => plane),
  })
  defer(() => plane.close())
  const live = new LiveVersions({ state, plane, blobs, log, settings })
  defer(() => live.close())
  await Promise.all(listDatabases(state).map(({ id }) => plane.openDatabase(id)))
  const bookmarks = openBookmarks(join(root, "bookmarks"), { state, plane })
  bookmarks.sweep()
  await live.startAll()
  const crons = createCrons({ state, plane, log })
  crons.refresh()
  defer(() => crons.stop())

  const invocations = createInvocations({
    samplingOf: (script) => samplingOf(findWorker(state, script)?.settings),
    processorTimeOf: (versionId) => plane.processorMilliseconds(versionId),
  })
  const listeners = await openEdgeListeners({
    http: port,
    https,
    authority: await openAuthority(join(root, "authority")),
    edge: {
      plane,
      table: (connection) => live.table(connection),
      wake: (versionId) => live.wake(versionId),
      onRequest({ outcome, ...request }) {
        log.record({ event: "request", ...request })
        invocations.record({ outcome, ...request })
      },
      faults: createEdgeFaults(faults, plane),
      protection: createProtection(settings),
      origin: (hostname) => settings.read().origins[hostname],
    },
    routes: (hostname) => live.routes(hostname),
    onLog,
  })
  defer(() => listeners.close())

  const control = {
    state,
    blobs,
    plane,
    log,
    invocations,
    withLock: createKeyedLock(),
    bookmarks,
    transferFiles: createTransferFiles(),
    live,
    crons,
    faults,
    settings,
  }
  const startedAt = new Date().toISOString()
  const app = createApi(control, token, () => ({ ...endpoint, ...describeStatus(control) }))
  const contradicts = ({ ok }: Response) => {
    const { textsHidden, otherCodes } = settings.read().doubts
    return textsHidden || (otherCodes && !ok)
  }
  const recorder = await openRecorder(app.routes, contradicts)
  defer(() => recorder?.close())
  const server = createAdaptorServer({
    fetch: withFaults(recorder?.recorded(app.fetch) ?? app.fetch, { faults, plane }),
    serverOptions: { keepAliveTimeout: idleTimeout },
  })
  const boundApiPort = await rejectPortInUse({ port: apiPort, flag: "--api-port" }, () =>
    listen(server, apiPort),
  )
  defer(() => stopListening(server))

  const endpoint: Endpoint = {
    pid: process.pid,
    api: `http://127.0.0.1:${boundApiPort}/client/v4`,
    edge: `http://127.0.0.1:${listeners.http}`,
    edgeTls: `https://127.0.0.1:${listeners.https}`,
    accountId: account.id,
    startedAt,
  }
  folder.publish(endpoint)
  defer(folder.withdraw)
  return { endpoint, token }
}

/** Records exchanges in tests, which compare them with Cloudflare's API description. Not loaded otherwise. */
async function openRecorder(routes: Routes, contradicts: (response: Response) => boolean) {
  const { LOCAL_CLOUDFLARE_EXCHANGES: directory } = process.env
  if (!directory) return undefined
  const recorder = await import("./contract/testing/recorder.ts")
  return recorder.openRecorder(directory, routes, contradicts)
}

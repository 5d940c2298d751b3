import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"

import type { ChildProcesses } from "../child-processes.ts"
import { createCommitErrorLog } from "../commit-error-log.ts"
import { bootInstance, type Instance, localFetcher } from "../miniflare/miniflare.ts"
import type { DatabaseFaults, Statement, StatementResult } from "../plane.ts"
import { waitUntilListening } from "../wait-until-listening.ts"
import { toD1Parameter } from "./d1-parameter.ts"
import { readReply } from "./d1-reply.ts"
import { ownedStorage, type StorageAddress, storageHeader } from "./storage-binding.ts"

export type StorageProcessOptions = {
  directory: string
  children: ChildProcesses
  /** Whether a database exists; queries to any other fail. */
  isKnown: (database: string) => boolean
  faults?: DatabaseFaults
  /** Called when the process had to change its address: callers must switch to the new one. */
  onMove: () => void
  onLog: (line: string) => void
}

const processName = "storage"

/** The one process that opens database files; it lives as long as the plane. */
export async function openStorageProcess(options: StorageProcessOptions) {
  const secret = randomBytes(24).toString("hex")
  const commitErrors = createCommitErrorLog()
  let closed = false
  let current = await boot()

  async function boot(): Promise<{ instance: Instance; address: string }> {
    const instance = await options.children.adopt(processName, () =>
      bootInstance({
        name: processName,
        modules: [{ name: "gate.js", type: "esm", content: readFileSync(gateFile) }],
        mainModule: "gate.js",
        compatibilityDate: "2026-08-01",
        compatibilityFlags: [],
        env: {
          SECRET: { type: "text", value: secret },
          PLANE: localFetcher(answering(options, commitErrors)),
          d1: ownedStorage({ type: "d1", id: "" }),
          kv: ownedStorage({ type: "kv", id: "" }),
          r2: ownedStorage({ type: "r2", name: "" }),
          "rate-limit": ownedStorage({
            type: "rate-limit",
            namespace: "",
            simple: { limit: 1, period: 10 },
          }),
        },
        takesUrls: false,
        storageDirectory: options.directory,
        onLog: (line) => {
          if (!commitErrors.readLine(line)) options.onLog(`${processName}: ${line}`)
        },
        onRestart: () => options.onLog(`${processName}: the process died and was restarted`),
        onFailure: () => void move(),
      }),
    )
    return { instance, address: await instance.address() }
  }

  /** Miniflare restarts a process at its old address; this handles an address that is taken by then. */
  async function move() {
    if (closed) return
    try {
      const before = current
      await before.instance.dispose().catch(() => {})
      current = await boot()
      options.onLog(`${processName}: the process died and was restarted at another address`)
      options.onMove()
    } catch (error) {
      options.onLog(`${processName}: can't be restarted: ${String(error)}`)
    }
  }

  async function send(product: string, database: string, body?: string): Promise<Response> {
    // Waits for a restart in progress.
    const address = await current.instance.address()
    return fetch(`http://${address}/query?resultsFormat=ROWS_AND_COLUMNS`, {
      method: "POST",
      headers: {
        [storageHeader.product]: product,
        [storageHeader.namespace]: database,
        [storageHeader.secret]: secret,
      },
      ...(body !== undefined && { body }),
    })
  }

  async function notify(topic: string, database: string): Promise<void> {
    const response = await waitUntilListening(() => send(topic, database))
    await response.body?.cancel()
  }

  return {
    address: (): StorageAddress => ({ address: current.address, secret }),
    async query(database: string, statements: Statement[]): Promise<StatementResult[]> {
      const body = JSON.stringify(
        statements.map(({ sql, params }) => ({ sql, params: params.map(toD1Parameter) })),
      )
      const started = performance.now()
      const response = await waitUntilListening(() => send("d1", database, body))
      if (response.status !== 200) {
        throw new Error(`The storage answered ${response.status}: ${await response.text()}`)
      }
      const results = readReply(await response.json())
      // workerd's clock stands still during a query, so the duration is measured here.
      const duration = (performance.now() - started) / statements.length
      return results.map(({ columns, rows, meta }) => {
        return { columns, rows, meta: Object.assign(meta, { duration }) }
      })
    },
    /** Makes the process check `isKnown` again before it serves this database. */
    forget: (database: string) => notify("forget", database),
    /** Makes the process check again whether `faults` are active. */
    faultsChanged: () => notify("faults", ""),
    async close() {
      closed = true
      await current.instance.dispose()
    },
  }
}

const gateFile = `${import.meta.dirname}/storage-gate.js`

/** Answers what the gate asks of the plane, by the first part of the path; undefined is no. */
function answering(
  { isKnown, faults }: StorageProcessOptions,
  commitErrors: ReturnType<typeof createCommitErrorLog>,
) {
  const answers: Record<string, (id: string, body: string) => Promise<string | undefined>> = {
    databases: async (id) => (isKnown(id) ? id : undefined),
    failures: (id) => commitErrors.reasonOf(id),
    faulty: async () => (faults?.active() ? "" : undefined),
    async faults(id, sql) {
      const fault = await faults?.find(id, sql)
      return fault && JSON.stringify(fault)
    },
    async timeout() {
      await faults?.waitForTimeout()
      return ""
    },
  }
  return async (path: string, body: string) => {
    const [, topic = "", id = ""] = path.split("/")
    return answers[topic]?.(id, body)
  }
}

import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

import * as z from "zod"

import { type ChildProcesses, waitUntilListening } from "../child-processes.ts"
import { type Instance, bootInstance, localFetcher } from "../miniflare/miniflare.ts"
import { type DatabaseFaults, QueryError, type Statement, type StatementResult } from "../plane.ts"
import { type StorageAddress, ownedStorage, storageHeader } from "./storage-binding.ts"

export type StorageProcessOptions = {
  directory: string
  children: ChildProcesses
  /** Returns whether a database exists. Queries of an unknown database fail. */
  isKnown: (database: string) => boolean
  faults?: DatabaseFaults
  /** Called when the process has a new address, which callers must use from then on. */
  onMove: () => void
  onLog: (line: string) => void
}

const processName = "storage"

/** Opens the only process that opens database files. It lives as long as the plane. */
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

  /** Restarts the process at a new address. Miniflare restarts it at the old one, unless that is taken by then. */
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
    // Getting the address waits for a restart in progress.
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

/** Creates the handler for the gate's requests to the plane, by the first part of the path. Undefined means no. */
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

/** Milliseconds to wait for the log line that explains an error: workerd may write it later. */
const lag = 1000
/** Polling interval in milliseconds. */
const step = 5
/** How many reasons are kept. Each is read once, soon after its error. */
const capacity = 100

/**
 * Finds out why a commit failed. If a deferred foreign key fails, D1 throws only `internal error; reference = …`, and
 * workerd's log has the reason for the reference.
 */
export function createCommitErrorLog() {
  const reasons = new Map<string, string>()
  return {
    /** Stores the reason in a log line. @returns whether the line has one; such a line need not be logged */
    readLine(line: string): boolean {
      const reason = /dbErrorMessage\(err, db\) = (.+?: SQLITE_CONSTRAINT)\b/.exec(line)?.[1]
      const reference = /wdErrId = (\w+)/.exec(line)?.[1]
      if (reason === undefined || reference === undefined) return false
      reasons.set(reference, reason)
      for (const oldest of [...reasons.keys()].slice(0, -capacity)) reasons.delete(oldest)
      return true
    },
    async reasonOf(reference: string): Promise<string | undefined> {
      for (let waited = 0; waited < lag && !reasons.has(reference); waited += step) {
        await sleep(step)
      }
      return reasons.get(reference)
    },
  }
}

/** Size limit of a string in D1, in bytes. Miniflare does not limit strings. */
const sizeLimit = 2_000_000

/** Converts a bound value for D1's protocol, which has no booleans. @throws QueryError */
function toD1Parameter(value: Statement["params"][number]): number | string | null {
  if (typeof value === "string" && Buffer.byteLength(value) > sizeLimit) {
    throw new QueryError("string or blob too big: SQLITE_TOOBIG")
  }
  return typeof value === "boolean" ? Number(value) : value
}

const Meta = z.looseObject({ changes: z.number(), last_row_id: z.number() })

const Reply = z.union([
  z.array(
    z.object({
      results: z.object({ columns: z.array(z.string()), rows: z.array(z.array(z.unknown())) }),
      meta: Meta,
    }),
  ),
  z.object({ success: z.literal(false), error: z.string() }),
])

/** Reads a response of Miniflare's D1. @throws QueryError */
function readReply(answer: unknown) {
  const reply = Reply.parse(answer)
  if (!Array.isArray(reply)) throw new QueryError(reply.error)
  return reply.map(({ results, meta }) => Object.assign(results, { meta }))
}

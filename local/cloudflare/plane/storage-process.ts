import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"

import * as z from "zod"

import type { DatabaseFaults } from "../faults/database-faults.ts"
import type { Children } from "./child-processes.ts"
import { createCommitErrorLog } from "./commit-error-log.ts"
import { toD1Parameter } from "./d1-parameter.ts"
import type { Instance } from "./miniflare.ts"
import { answeredHere, bootInstance } from "./miniflare.ts"
import type { Statement, StatementResult } from "./plane.ts"
import { QueryError } from "./plane.ts"
import type { StorageAddress } from "./storage-binding.ts"
import { ownedStorage, storageHeader } from "./storage-binding.ts"
import { waitUntilListening } from "./wait-until-listening.ts"

/** The one process that opens the files of databases; it lives as long as the plane. */
export type Store = {
  address: () => StorageAddress
  query(database: string, statements: Statement[]): Promise<StatementResult[]>
  /** Makes the store ask `isKnown` again before it serves this database. */
  forget(database: string): Promise<void>
  /** Makes the store ask `faults` again whether they are active. */
  faultsChanged(): Promise<void>
  close(): Promise<void>
}

export type StorageProcessOptions = {
  directory: string
  children: Children
  /** Whether a database exists; any other is refused. */
  isKnown: (database: string) => boolean
  faults?: DatabaseFaults
  /** The store had to take another address: whoever has the old one must be told. */
  onMove: () => void
  onLog: (line: string) => void
}

const storeName = "storage"

export async function openStorageProcess(options: StorageProcessOptions): Promise<Store> {
  const secret = randomBytes(24).toString("hex")
  const failures = createCommitErrorLog()
  let closed = false
  let current = await boot()

  async function boot(): Promise<{ instance: Instance; address: string }> {
    const instance = await options.children.adopt(storeName, () =>
      bootInstance({
        name: storeName,
        modules: [{ name: "gate.js", type: "esm", content: readFileSync(gateFile) }],
        mainModule: "gate.js",
        compatibilityDate: "2026-08-01",
        compatibilityFlags: [],
        env: {
          SECRET: { type: "text", value: secret },
          PLANE: answeredHere(answer),
          d1: ownedStorage({ type: "d1", id: "" }),
          "rate-limit": ownedStorage({
            type: "rate-limit",
            namespace: "",
            simple: { limit: 1, period: 10 },
          }),
        },
        takesUrls: false,
        storageDirectory: options.directory,
        onLog: (line) => {
          if (!failures.explains(line)) options.onLog(`${storeName}: ${line}`)
        },
        onRestart: () => options.onLog(`${storeName}: the process died and was started again`),
        onFailure: () => void move(),
      }),
    )
    return { instance, address: await instance.address() }
  }

  async function answer(path: string, body: string): Promise<string | undefined> {
    const [, collection, id = ""] = path.split("/")
    if (collection === "faulty") return options.faults?.active() ? "" : undefined
    if (collection === "faults") {
      const spoiling = await options.faults?.find(id, body)
      return spoiling && JSON.stringify(spoiling)
    }
    if (collection === "patience") {
      await options.faults?.waitForTimeout()
      return ""
    }
    if (collection === "databases") return options.isKnown(id) ? id : undefined
    if (collection === "failures") return failures.reasonOf(id)
    return undefined
  }

  /** Miniflare restarts a process at its old address; this is for when that is taken meanwhile. */
  async function move() {
    if (closed) return
    try {
      const before = current
      await before.instance.dispose().catch(() => {})
      current = await boot()
      options.onLog(`${storeName}: the process died and was started again at another address`)
      options.onMove()
    } catch (error) {
      options.onLog(`${storeName}: can't be started again: ${String(error)}`)
    }
  }

  async function send(product: string, database: string, body?: string): Promise<Response> {
    // Waits for a restart that is under way.
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

  async function tell(what: string, database: string): Promise<void> {
    const response = await waitUntilListening(() => send(what, database))
    await response.body?.cancel()
  }

  return {
    address: () => ({ address: current.address, secret }),
    async query(database, statements) {
      const body = JSON.stringify(
        statements.map(({ sql, params }) => ({ sql, params: params.map(toD1Parameter) })),
      )
      const started = performance.now()
      const response = await waitUntilListening(() => send("d1", database, body))
      if (response.status !== 200) {
        throw new Error(`The storage answered ${response.status}: ${await response.text()}`)
      }
      const reply = Reply.parse(await response.json())
      // Time stands still inside workerd, so the durations are measured out here.
      const duration = (performance.now() - started) / statements.length
      return resultsOf(reply).map(({ columns, rows, meta }) => {
        return { columns, rows, meta: Object.assign(meta, { duration }) }
      })
    },
    forget: (database) => tell("forget", database),
    faultsChanged: () => tell("faults", ""),
    async close() {
      closed = true
      await current.instance.dispose()
    },
  }
}

const gateFile = `${import.meta.dirname}/storage-gate.js`

const Meta = z.looseObject({ changes: z.number(), last_row_id: z.number() })

const Reply = z.union([
  z.array(
    z.object({
      results: z.object({ columns: z.array(z.string()), rows: z.array(z.array(z.unknown())) }),
      meta: Meta,
    }),
  ),
  // Of Miniflare's export pragma: one row, whose values are the lines of a dump.
  z.object({ success: z.literal(true), results: z.tuple([z.array(z.string())]) }),
  z.object({ success: z.literal(false), error: z.string() }),
])

function resultsOf(reply: z.infer<typeof Reply>) {
  if (Array.isArray(reply)) return reply.map(({ results, meta }) => ({ ...results, meta }))
  if (!reply.success) throw new QueryError(reply.error)
  const columns = reply.results[0].map((_, index) => String(index))
  return [{ columns, rows: reply.results, meta: { changes: 0, last_row_id: 0 } }]
}

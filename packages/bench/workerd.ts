import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { splitStatements } from "@accounts-stack/local/sql-statements"
import { Log, LogLevel, Miniflare } from "miniflare"

import { compatibilityDate, compatibilityFlags } from "../../infra/bundle.ts"

type Binding =
  | { type: "text"; value: string }
  | { type: "json"; value: Record<string, string> }
  | { type: "d1"; id: string }
  | { type: "rate-limit"; namespace: string; simple: { limit: number; period: 10 | 60 } }

type Module =
  | { type: "esm"; contents: string }
  | { type: "data"; contents: Uint8Array<ArrayBuffer> }

/** A Worker of the run; `schema` is applied to its database. */
export type Script = {
  name: string
  modules: Record<string, Module>
  env: Record<string, Binding>
  database?: { binding: string; schema: string }
}

export function esm(contents: string): Module {
  return { type: "esm", contents }
}

/** In memory: the local D1 waits for the disk after every query, even one that only reads. */
const memory = "/dev/shm"

/** Starts one workerd that runs every script, each at its own address. */
export async function openWorkerd(scripts: Script[]) {
  const directory = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), "accounts-bench-"))
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    cf: false,
    log: new Log(LogLevel.NONE),
    logRequests: false,
    enableDevRegistry: false,
    handleStructuredLogs: () => {},
    resourcePersistencePath: directory,
    workers: scripts.map(({ name, modules, env }) => ({
      config: {
        name,
        compatibilityDate,
        compatibilityFlags,
        env,
        manifest: { mainModule: "worker.js", modulesRoot: "/", modules },
      },
      // Requests reach the Worker directly, not through Miniflare's own proxy.
      dev: { unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] },
    })),
  })
  const close = async () => {
    await miniflare.dispose()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await miniflare.ready
    const addresses = new Map<string, string>()
    const databases = new Map<string, Awaited<ReturnType<typeof miniflare.getD1Database>>>()
    for (const { name, database } of scripts) {
      addresses.set(name, (await miniflare.unsafeGetDirectURL(name)).origin)
      if (database === undefined) continue
      const opened = await miniflare.getD1Database(database.binding, name)
      const statements = splitStatements(database.schema)
      await opened.batch(statements.map((sql) => opened.prepare(sql)))
      databases.set(name, opened)
    }
    const addressOf = (name: string) => {
      const address = addresses.get(name)
      if (address === undefined) throw new Error(`No Worker is called ${name}`)
      return address
    }
    return { addressOf, databases, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

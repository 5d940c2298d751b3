import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { splitStatements } from "@accounts/local/sql-statements"
import { Log, LogLevel, Miniflare } from "miniflare"

import { compatibilityDate, compatibilityFlags } from "../../app/runtime.ts"
import type { Script } from "./subject.ts"

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
        manifest: {
          mainModule: "worker.js",
          modulesRoot: "/",
          modules,
        },
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
    return { addresses, databases, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

import { existsSync, readFileSync } from "node:fs"
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http"
import { join } from "node:path"
import process from "node:process"

import { getRequestListener } from "@hono/node-server"
import type { Hono } from "hono"
import * as z from "zod"

import { Port, commonArguments, parseArguments, runDaemon } from "../daemon/daemon.ts"
import {
  idleTimeout,
  isPortInUse,
  listen,
  rejectPortInUse,
  stopListening,
} from "../daemon/listen.ts"
import { openStateFolder, writeAtomically } from "../daemon/state-folder.ts"
import { createApp } from "./http.ts"

export type Sandbox = {
  /** The name of the sandbox's program, and of its folder in the state directory. */
  name: string
  /** The default port; if it is taken, any free port. */
  port: number
  open(options: {
    /** The sandbox's folder in the state directory, which only the owner can read. */
    directory: string
    /** The bearer token of the `/local` routes. */
    token: string
  }): {
    routes: Hono
    /** Handles requests for a library that needs Node's request and response. False leaves a request to the routes. */
    answer?(request: IncomingMessage, response: ServerResponse): boolean
    close(): void
  }
}

const Arguments = z.strictObject({ ...commonArguments, port: Port.optional() })

export function runSandbox(sandbox: Sandbox, argv: string[]): Promise<void> {
  const usage = `node packages/local/sandbox/${sandbox.name}/main.js --state DIR [--port ${sandbox.port}] [--exit-with-parent]`
  return runDaemon({
    parse: () => parseArguments(Arguments, { argv, usage }),
    start: (options) => startSandbox(sandbox, options),
  })
}

export async function startSandbox(
  sandbox: Sandbox,
  options: Pick<z.infer<typeof Arguments>, "state" | "port">,
) {
  const folder = openStateFolder(join(options.state, sandbox.name))
  const opened = sandbox.open(folder)
  const { fetch } = createApp(opened.routes)
  const listener = getRequestListener(fetch)
  const server = createServer({ keepAliveTimeout: idleTimeout }, (request, response) => {
    if (opened.answer?.(request, response) !== true) void listener(request, response)
  })
  const keptAt = join(folder.directory, "port")
  const port = await bind(server, [readPort(keptAt), sandbox.port], options.port).catch(
    (error: unknown) => {
      opened.close()
      folder.release()
      throw error
    },
  )
  writeAtomically(keptAt, String(port))
  const url = `http://127.0.0.1:${port}`
  const endpoint = { pid: process.pid, url, startedAt: new Date().toISOString() }
  folder.publish(endpoint)
  return {
    endpoint,
    async close() {
      folder.withdraw()
      await stopListening(server)
      opened.close()
      folder.release()
    },
  }
}

/**
 * Tries the previous port first, because accounts are linked to an issuer by its address, and users keep bookmarks. If
 * it is taken, uses any free port, but never instead of a requested port.
 */
async function bind(
  server: Server,
  [storedPort, standard]: [number | undefined, number],
  requestedPort: number | undefined,
): Promise<number> {
  if (requestedPort !== undefined && requestedPort !== 0) {
    return rejectPortInUse({ port: requestedPort, flag: "--port" }, () =>
      listen(server, requestedPort),
    )
  }
  for (const port of [storedPort, requestedPort ?? standard]) {
    if (port === undefined) continue
    try {
      return await listen(server, port)
    } catch (error) {
      if (!isPortInUse(error)) throw error
    }
  }
  return await listen(server, 0)
}

function readPort(path: string): number | undefined {
  const port = existsSync(path) ? Number(readFileSync(path, "utf8")) : Number.NaN
  return Port.safeParse(port).data
}

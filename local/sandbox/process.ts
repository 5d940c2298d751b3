import { chmodSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { parseArgs } from "node:util"

import { createAdaptorServer } from "@hono/node-server"
import type { Hono } from "hono"
import * as z from "zod"

import { writeAtomically } from "../daemon/file.ts"
import { idleTime, listen, refusingTakenPort, stopListening } from "../daemon/listen.ts"
import { acquireLock } from "../daemon/lock.ts"
import { StartFailure } from "../daemon/start-failure.ts"
import { openToken } from "../daemon/token.ts"
import { createEnd } from "./sandbox.ts"

/** What one end adds to what all have in common. */
export type Definition = {
  /** Names its folder in the state directory, and its program. */
  name: string
  /** Taken when no port is asked for; when that is in use, any free one. */
  port: number
  open(site: Site): { routes: Hono; close(): void }
}

type Site = {
  /** Its own folder in the state directory, for its owner alone. */
  directory: string
  /** What opens it to the project's own tools. */
  token: string
}

const Port = z.coerce.number().int().min(0).max(65_535)
const Arguments = z.strictObject({
  state: z.string().min(1),
  port: Port.optional(),
  "exit-with-parent": z.boolean().default(false),
})

/** Runs an end as a process: one JSON line on stdout when it is ready, or one that says why not. */
export async function runEnd(definition: Definition, argv: string[]): Promise<void> {
  process.umask(0o077)
  try {
    const options = parseArguments(definition, argv)
    const ended = endOfProcess(options["exit-with-parent"])
    const end = await startEnd(definition, options)
    print({ event: "ready", ...end.endpoint })
    await ended
    await end.close()
    process.exit(0)
  } catch (error) {
    const code = error instanceof StartFailure ? error.code : "START_FAILED"
    print({ event: "error", code, message: error instanceof Error ? error.message : String(error) })
    process.exit(1)
  }
}

function parseArguments({ name, port }: Definition, argv: string[]): z.infer<typeof Arguments> {
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        state: { type: "string" },
        port: { type: "string" },
        "exit-with-parent": { type: "boolean" },
      },
    })
    return Arguments.parse(values)
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause)
    const usage = `usage: node local/sandbox/${name}/main.js --state DIR [--port ${port}] [--exit-with-parent]`
    throw new StartFailure("USAGE", `${reason}; ${usage}`, { cause })
  }
}

async function startEnd(
  definition: Definition,
  options: { state: string; port?: number | undefined },
) {
  const directory = join(options.state, definition.name)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
  const lock = acquireLock(join(directory, "lock"))
  const endpointFile = join(directory, "endpoint.json")
  // A killed process leaves one behind; nobody may take it for this one's.
  rmSync(endpointFile, { force: true })
  const token = openToken(join(directory, "token"))
  const opened = definition.open({ directory, token })
  const { fetch } = createEnd(opened.routes)
  const server = createAdaptorServer({ fetch, serverOptions: { keepAliveTimeout: idleTime } })
  const port = await bind(server, definition.port, options.port).catch((error: unknown) => {
    opened.close()
    lock.release()
    throw error
  })
  const url = `http://127.0.0.1:${port}`
  const endpoint = { pid: process.pid, url, startedAt: new Date().toISOString() }
  writeAtomically(endpointFile, `${JSON.stringify(endpoint)}\n`)
  return {
    endpoint,
    async close() {
      rmSync(endpointFile, { force: true })
      await stopListening(server)
      opened.close()
      lock.release()
    },
  }
}

type Server = ReturnType<typeof createAdaptorServer>

/** Only a port that was asked for is worth failing over. */
async function bind(server: Server, standard: number, asked: number | undefined): Promise<number> {
  if (asked !== undefined) {
    return refusingTakenPort({ port: asked, flag: "--port" }, () => listen(server, asked))
  }
  try {
    return await listen(server, standard)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error
    return await listen(server, 0)
  }
}

/** Watches from the very start, so that a parent that dies during the start is noticed as well. */
function endOfProcess(withParent: boolean): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve())
    if (!withParent) return
    process.stdin.once("close", () => resolve())
    process.stdin.once("end", () => resolve())
    process.stdin.resume()
  })
}

function print(line: Record<string, unknown>) {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

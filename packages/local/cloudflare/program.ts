import { createServer } from "node:http"
import { join } from "node:path"
import process from "node:process"

import * as z from "zod"

import { Port, commonArguments, parseArguments, runDaemon } from "../daemon/daemon.ts"
import { listen, rejectPortInUse, stopListening } from "../daemon/listen.ts"
import { openStateFolder } from "../daemon/state-folder.ts"
import type { LocalCloudflare, ServerOptions } from "./control-plane.ts"

const usage =
  "node packages/local/cloudflare/main.js --state DIR [--api-port 8790] [--port 8787] [--https-port 8443] [--exit-with-parent]"

const standardPort = 8787

const Arguments = z.strictObject({
  ...commonArguments,
  "api-port": Port.default(8790),
  port: Port.default(standardPort),
  "https-port": Port.optional(),
})

export function main(argv: string[]): Promise<void> {
  return runDaemon({
    parse: () => parseArguments(Arguments, { argv, usage }),
    start: (options) =>
      startServer({
        directory: options.state,
        apiPort: options["api-port"],
        port: options.port,
        https: httpsPort(options),
        onLog: (line) => process.stderr.write(`${line}\n`),
      }),
  })
}

/** With another `--port` any HTTPS port will do; only an explicit `--https-port` must be free. */
function httpsPort({ port, "https-port": requestedPort }: z.infer<typeof Arguments>) {
  if (requestedPort !== undefined) return { port: requestedPort, required: true }
  return { port: port === standardPort ? 8443 : 0, required: false }
}

/** @throws ProcessStartError, after closing everything opened so far */
export async function startServer(options: ServerOptions): Promise<LocalCloudflare> {
  const closers: (() => Promise<void> | void)[] = []
  async function close() {
    for (const closer of closers.splice(0).toReversed()) await closer()
  }
  try {
    const folder = openStateFolder(join(options.directory, "cloudflare"))
    closers.push(folder.release)
    await rejectTakenPorts(options)
    // Loaded late: the import takes most of the start, and a refused start should fail at once.
    const { openControlPlane } = await import("./control-plane.ts")
    const opened = await openControlPlane(folder, options, (closer) => closers.push(closer))
    return { ...opened, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Fails early; the listener checks again when it binds. @throws ProcessStartError PORT_IN_USE */
async function rejectTakenPorts({ port, https, apiPort }: ServerOptions) {
  const ports = [
    { port, flag: "--port" },
    ...(https.required ? [{ port: https.port, flag: "--https-port" }] : []),
    { port: apiPort, flag: "--api-port" },
  ]
  for (const wantedPort of ports.filter((candidate) => candidate.port !== 0)) {
    const server = createServer()
    await rejectPortInUse(wantedPort, () => listen(server, wantedPort.port))
    await stopListening(server)
  }
}

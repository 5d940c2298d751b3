import process from "node:process"

import * as z from "zod"

import { commonArguments, parseArguments, Port } from "../daemon/arguments.ts"
import { runDaemon } from "../daemon/daemon.ts"
import { startServer } from "./server.ts"

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
function httpsPort({ port, "https-port": asked }: z.infer<typeof Arguments>) {
  if (asked !== undefined) return { port: asked, required: true }
  return { port: port === standardPort ? 8443 : 0, required: false }
}

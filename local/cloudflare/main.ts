import process from "node:process"
import { parseArgs } from "node:util"

import * as z from "zod"

import { StartFailure } from "../daemon/start-failure.ts"
import { startServer } from "./server.ts"

const usage =
  "usage: node local/cloudflare/main.js --state DIR [--api-port 8790] [--port 8787] [--https-port 8443] [--propagation-ms 0] [--exit-with-parent]"

const standardPort = 8787

const Port = z.coerce.number().int().min(0).max(65_535)
const Arguments = z.strictObject({
  state: z.string().min(1),
  "api-port": Port.default(8790),
  port: Port.default(standardPort),
  "https-port": Port.optional(),
  "propagation-ms": z.coerce.number().int().min(0).default(0),
  "exit-with-parent": z.boolean().default(false),
})

/** Prints one JSON line to stdout, `ready` or `error`. Everything else goes to stderr. */
export async function main(argv: string[]) {
  process.umask(0o077)
  try {
    const options = parseArguments(argv)
    const ended = endOfProcess(options["exit-with-parent"])
    const server = await startServer({
      directory: options.state,
      apiPort: options["api-port"],
      port: options.port,
      https: httpsPort(options),
      propagationMs: options["propagation-ms"],
      onLog: (line) => process.stderr.write(`${line}\n`),
    })
    print({ event: "ready", ...server.endpoint })
    await ended
    await server.close()
    process.exit(0)
  } catch (error) {
    const code = error instanceof StartFailure ? error.code : "START_FAILED"
    print({ event: "error", code, message: error instanceof Error ? error.message : String(error) })
    if (!(error instanceof StartFailure)) process.stderr.write(`${String(error)}\n`)
    process.exit(1)
  }
}

function parseArguments(argv: string[]): z.infer<typeof Arguments> {
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        state: { type: "string" },
        "api-port": { type: "string" },
        port: { type: "string" },
        "https-port": { type: "string" },
        "propagation-ms": { type: "string" },
        "exit-with-parent": { type: "boolean" },
      },
    })
    return Arguments.parse(values)
  } catch (cause) {
    throw new StartFailure("USAGE", `${reason(cause)}; ${usage}`, { cause })
  }
}

/** Beside a custom HTTP port, HTTPS takes any free one. Only a port given by flag must be free. */
function httpsPort({ port, "https-port": asked }: z.infer<typeof Arguments>) {
  if (asked !== undefined) return { port: asked, required: true }
  return { port: port === standardPort ? 8443 : 0, required: false }
}

function reason(cause: unknown): string {
  if (cause instanceof z.ZodError) {
    return cause.issues.map(({ path, message }) => `--${path.join(".")}: ${message}`).join("; ")
  }
  return cause instanceof Error ? cause.message : String(cause)
}

/** Called before start-up, to notice a parent that dies meanwhile. */
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

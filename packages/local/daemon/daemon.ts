import process from "node:process"

import { ProcessStartError } from "./process-start-error.ts"

type Daemon = { endpoint: Record<string, unknown>; close(): Promise<void> }

type Definition<Options> = {
  /** @throws ProcessStartError USAGE */
  parse: () => Options
  /** @throws ProcessStartError; whatever was opened before is closed again */
  start: (options: Options) => Promise<Daemon>
}

/**
 * Runs a local process until a signal or the exit of its parent stops it. stdout gets one JSON line, `ready` with the
 * endpoint or `error` with the reason; everything else goes to stderr.
 */
export async function runDaemon<Options extends { "exit-with-parent": boolean }>({
  parse,
  start,
}: Definition<Options>): Promise<void> {
  process.umask(0o077)
  try {
    const options = parse()
    const shutdown = waitForShutdown(options["exit-with-parent"])
    const daemon = await start(options)
    print({ event: "ready", ...daemon.endpoint })
    await shutdown
    await daemon.close()
    process.exit(0)
  } catch (error) {
    const expected = error instanceof ProcessStartError
    const message = error instanceof Error ? error.message : String(error)
    const reason = expected ? { code: error.code, holder: error.holder } : { code: "START_FAILED" }
    print({ event: "error", ...reason, message })
    if (!expected) process.stderr.write(`${String(error)}\n`)
    process.exit(1)
  }
}

/** Call it before anything slow: a parent that dies during the start must not go unnoticed. */
function waitForShutdown(withParent: boolean): Promise<void> {
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

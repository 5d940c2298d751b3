import process from "node:process"
import { parseArgs } from "node:util"

import * as z from "zod"

import { ProcessStartError } from "./listen.ts"

/** 0 takes any free port. */
export const Port = z.coerce.number().int().min(0).max(65_535)

/** The arguments of every local process. */
export const commonArguments = {
  state: z.string().min(1),
  "exit-with-parent": z.boolean().default(false),
}

/** @throws ProcessStartError USAGE, which ends with `usage` */
export function parseArguments<Arguments extends z.ZodObject<typeof commonArguments>>(
  schema: Arguments,
  { argv, usage }: { argv: string[]; usage: string },
): z.infer<Arguments> {
  const options = Object.keys(schema.shape).map((name) => [
    name,
    { type: name === "exit-with-parent" ? "boolean" : "string" } as const,
  ])
  try {
    const { values } = parseArgs({ args: argv, options: Object.fromEntries(options) })
    return schema.parse(values)
  } catch (cause) {
    throw new ProcessStartError("USAGE", `${reasonOf(cause)}; usage: ${usage}`, { cause })
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof z.ZodError) return describeIssues(cause, "--")
  return cause instanceof Error ? cause.message : String(cause)
}

/** Every problem of an input in one line, each after the path of its field. */
export function describeIssues(error: z.ZodError, prefix = ""): string {
  return error.issues
    .map(({ path, message }) =>
      path.length === 0 ? message : `${prefix}${path.join(".")}: ${message}`,
    )
    .join("; ")
}

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

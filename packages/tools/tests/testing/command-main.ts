import { writeSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { inspect } from "node:util"

import * as z from "zod"

import { Command } from "./command-process.ts"

/** The entry of `./accounts` in a copy of the checkout. */
const [directory = ""] = process.argv.slice(2)
const entry = pathToFileURL(join(directory, "packages/tools/cli/program.ts")).href
await import(join(directory, "packages/tools/cli/engine/light-pulumi.js"))

const ExitCode = z.coerce.number().catch(0)
let output = { stdout: "", stderr: "" }
for (const name of ["stdout", "stderr"] as const) {
  const stream = process[name]
  // Each command listens for a reader that goes.
  stream.setMaxListeners(0)
  Object.assign(stream, {
    write(chunk: string | Uint8Array, ...rest: unknown[]) {
      output[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()
      const written = rest.at(-1)
      if (typeof written === "function") process.nextTick(written)
      return true
    },
  })
}
// The last statement of the entry.
Object.assign(process, { exit: () => undefined })

let runs = 0
let isRunning = false

/** What a command leaves behind would have ended with its process. */
function report(error: unknown): void {
  if (!isRunning) return
  writeSync(2, `${inspect(error)}\n`)
  process.kill(process.pid, "SIGKILL")
}

process.on("uncaughtException", report)
process.on("unhandledRejection", report)
process.on("message", (message) => void run(Command.parse(message)))
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"))

async function run({ args, environment }: Command): Promise<void> {
  output = { stdout: "", stderr: "" }
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name)
  Object.assign(process.env, environment)
  process.argv = [process.execPath, join(directory, "packages/tools/cli/main.js"), ...args]
  process.exitCode = undefined
  runs += 1
  isRunning = true
  // Only the entry is evaluated again.
  await import(`${entry}?run=${runs}`)
  isRunning = false
  process.send?.({ code: ExitCode.parse(process.exitCode), ...output })
}

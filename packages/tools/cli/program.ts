import { CommanderError } from "commander"

import { nameUser, useProxies } from "../base/process-environment.ts"
import { openCommands } from "./commands.ts"
import { describeError, exitCodeOf } from "./error-report.ts"
import { exitWithReader, flushed, paint, say } from "./output.ts"

nameUser()
useProxies()
exitWithReader()
try {
  const commands = await openCommands(process.argv.slice(2))
  await commands.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}
// A pipe accepts 64 KiB at a time, and unwritten output is lost when the process exits.
await flushed()
// A finished command must not wait for keep-alive sockets.
process.exit()

/** Prints one message; returns the exit code. */
function report(error: unknown): number {
  // Commander has printed its message or the help already.
  if (error instanceof CommanderError) {
    const byNpm = process.env["npm_lifecycle_event"] === "start"
    if (byNpm && error.code === "commander.excessArguments") {
      say("npm keeps options to itself unless they follow `--`: npm start -- --port 9000")
    }
    return error.exitCode === 0 ? 0 : 2
  }
  say(`${paint.red("error:")} ${describeError(error)}`)
  return exitCodeOf(error)
}

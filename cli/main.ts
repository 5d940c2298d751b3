import { Command, CommanderError } from "commander"

import { engineCommand } from "./command/engine.ts"
import { localGroup } from "./command/local/local.ts"
import { ownerGroup } from "./command/owner/owner.ts"
import { previewGroup } from "./command/preview/preview.ts"
import { repairCommand } from "./command/repair.ts"
import { startCommand } from "./command/start.ts"
import { describeError, exitCodeOf } from "./error-report.ts"
import { exitWithReader, flushed, paint, say } from "./output.ts"

const cli = new Command("accounts")
  .description(
    "Commands that Pulumi does not have. Everything else is `pulumi` itself: pulumi up -s staging",
  )
  .showHelpAfterError("(run with --help for usage)")
  .exitOverride()
  .addCommand(startCommand)
  .addCommand(engineCommand)
  .addCommand(localGroup)
  .addCommand(previewGroup)
  .addCommand(repairCommand)
  .addCommand(ownerGroup)
inheritSettings(cli)

exitWithReader()
try {
  await cli.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}
// A pipe takes 64 KiB at a time, and what it has not taken yet is lost with the process.
await flushed()
// A finished command must not wait for keep-alive sockets.
process.exit()

/** Unlike `command`, `addCommand` passes no settings on. */
function inheritSettings(parent: Command): void {
  for (const child of parent.commands) inheritSettings(child.copyInheritedSettings(parent))
}

/** Prints one message; returns the exit code. */
function report(error: unknown): number {
  // Commander has printed its message or the help already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  say(`${paint.red("error:")} ${describeError(error)}`)
  return exitCodeOf(error)
}

import { Command, CommanderError } from "commander"

import { nameUser, useProxies } from "../base/process-environment.ts"
import { fillFlags } from "./command-options.ts"
import { addCommands } from "./command-table.ts"
import { neverAsk } from "./confirm.ts"
import { describeError, exitCodeOf } from "./error-report.ts"
import { exitWithReader, flushed, paint, say } from "./output.ts"

const cli = new Command("accounts")
  .description(
    "Commands that Pulumi does not have, and its up, plan and destroy where it has no language host",
  )
  .option("--non-interactive", "never ask, as where there is no terminal")
  .addHelpText(
    "after",
    "\nEach command has --help, and --json where it has a result.\n" +
      "The exit code is 0 for success, 1 for a failure or a finding, 2 for wrong usage.",
  )
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError("(run with --help for usage)")
  .exitOverride()
  .hook("preAction", (command, running) => {
    fillFlags(running)
    if (command.opts<{ nonInteractive?: boolean }>().nonInteractive) neverAsk()
  })
await addCommands(cli, process.argv.slice(2))
cli.helpCommand("help [command]", "show the help of a command")
inheritSettings(cli)

nameUser()
useProxies()
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

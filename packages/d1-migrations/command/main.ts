import { readFileSync } from "node:fs"
import { findPackageJSON } from "node:module"
import { setFlagsFromString } from "node:v8"

import { Command, CommanderError } from "commander"

import { isFailure, messageOf } from "../failure.ts"
import { applyCommand, baselineCommand, statusCommand } from "./database-commands.ts"
import { fixCommand } from "./fix.ts"
import { lintCommand } from "./lint.ts"
import { say } from "./output.ts"
import { projectOptions } from "./project-options.ts"
import { readProjects } from "./project.ts"
import { rehearseCommand } from "./rehearse.ts"

// Trials leave much behind: half of the memory was room for more of it, and took no less time.
setFlagsFromString("--semi-space-growth-factor=1")

const program = { command: "d1-migrations", projects: readProjects }

const manifest = findPackageJSON(import.meta.url) ?? "package.json"
const { version } = JSON.parse(readFileSync(manifest, "utf8"))

const cli = new Command(program.command)
  .version(version, "--version", "print the version")
  .description("Safe migrations on Cloudflare D1, of wrangler's files and of drizzle-kit's")
  .showHelpAfterError("(run with --help for usage)")
  .addHelpText(
    "after",
    "\nExit code 0: all is well. 1: it is not, see the message. 2: wrong usage.",
  )
for (const command of [
  projectOptions(lintCommand(program)),
  projectOptions(fixCommand(program)),
  applyCommand,
  statusCommand,
  baselineCommand,
  rehearseCommand,
]) {
  cli.addCommand(command.copyInheritedSettings(cli).exitOverride())
}
cli.exitOverride()

try {
  await cli.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/** Prints one message; returns the exit code. */
function report(error: unknown): number {
  // Commander has printed its message or the help already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  say(`error: ${messageOf(error)}`)
  return isFailure(error, "USAGE") ? 2 : 1
}

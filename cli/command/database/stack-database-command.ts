import type { Command } from "commander"

import { localOptions, stackCommand, type LocalFlags } from "../../command-options.ts"

export type StackDatabaseFlags = LocalFlags & { stack: string; local?: boolean }

/** A command that works on the database of one stack. */
export function stackDatabaseCommand(name: string): Command {
  return stackCommand(name, "the stack is a preview").requiredOption(
    "-s, --stack <name>",
    "the stack",
  )
}

export function stackDatabaseOptions({ stack, local = false, ...flags }: StackDatabaseFlags) {
  return { ...localOptions(flags), stack, local }
}

import type { Command } from "commander"

import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"

export type StackDatabaseFlags = LocalFlags & { stack: string; local?: boolean }

/** A command that works on the database of one stack. */
export function stackDatabaseCommand(name: string): Command {
  return localCommand(name)
    .requiredOption("-s, --stack <name>", "the stack")
    .option("--local", "the stack is a preview on this machine (`local` needs no flag)")
}

export function stackDatabaseOptions({ stack, local = false, ...flags }: StackDatabaseFlags) {
  return { ...localOptions(flags), stack, local }
}

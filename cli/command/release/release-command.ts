import type { Command } from "commander"

import { localOptions, stackCommand, type LocalFlags } from "../../command-options.ts"

export type ReleaseFlags = LocalFlags & { stack: string; local?: boolean }

/** A command on the Worker of one stack. */
export function releaseCommand(name: string): Command {
  return stackCommand(name, "the stack is a preview").requiredOption(
    "-s, --stack <name>",
    "the stack",
  )
}

export function releaseOptions({ stack, local = false, ...flags }: ReleaseFlags) {
  return { ...localOptions(flags), stack, local }
}

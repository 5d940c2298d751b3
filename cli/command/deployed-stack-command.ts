import type { Command } from "commander"

import { localOptions, stackCommand, type LocalFlags } from "../command-options.ts"
import { withStack } from "../stack-option.ts"

export type DeployedStackFlags = LocalFlags & { stack: string; local?: boolean }

/** A command on what a stack has in its account: its Worker or its database. */
export function deployedStackCommand(name: string): Command {
  return withStack(stackCommand(name, "the stack is a preview"))
}

export function deployedStackOptions({ stack, local = false, ...flags }: DeployedStackFlags) {
  return { ...localOptions(flags), stack, local }
}

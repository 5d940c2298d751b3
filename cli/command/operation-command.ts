import type { Command } from "commander"

import { localOptions, stackCommand, type LocalFlags } from "../command-options.ts"
import { withStack } from "../stack-option.ts"

export type OperationFlags = LocalFlags & {
  stack: string
  local?: boolean
  diff?: boolean
}

/** A command that runs one of Pulumi's operations on a stack, with Pulumi's own options. */
export function operationCommand(name: string): Command {
  return withStack(stackCommand(name, "the stack is a preview")).option(
    "--diff",
    "show Pulumi's own detailed differences",
  )
}

export function operationOptions(flags: OperationFlags) {
  const { stack: name, local = false, diff = false } = flags
  const { json, ...here } = localOptions(flags)
  return { name, json, site: { ...here, local }, operation: { diff } }
}

import type { Command } from "commander"

import { stackCommand, type StackFlags, stackOptions } from "../command-options.ts"

export type OperationFlags = StackFlags & { diff?: boolean }

/** A command that runs one of Pulumi's operations on a stack, with Pulumi's own options. */
export function operationCommand(name: string): Command {
  return stackCommand(name).option("--diff", "show Pulumi's own detailed differences")
}

export function operationOptions({ diff = false, ...flags }: OperationFlags) {
  const { json, ...site } = stackOptions(flags)
  return { name: site.stack, json, site, operation: { diff, printed: new Set<string>() } }
}

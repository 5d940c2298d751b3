import type { Command } from "commander"

import { branchCommand, type BranchFlags, branchOptions } from "../../command-options.ts"
import { print, say } from "../../output.ts"

export function branchListCommand(): Command {
  return branchCommand("list")
    .description("list the previews")
    .action(async (flags: BranchFlags) => {
      const { describePreviews, listPreviews } = await import("../../branch/preview-stack.ts")
      const { json, ...options } = branchOptions(flags)
      const previews = describePreviews(await listPreviews(options), options)
      if (json) return print(JSON.stringify(previews))
      if (previews.length === 0) say("No previews.")
      for (const { name, branch = "-", url, lastUpdate = "never updated" } of previews) {
        print(`${name}  ${branch}  ${url}  ${lastUpdate}`)
      }
    })
}

import type { Command } from "commander"

import { localOptions, stackCommand, type LocalFlags } from "../../command-options.ts"
import { print, say } from "../../output.ts"

export function branchListCommand(): Command {
  return stackCommand("list", "previews")
    .description("list the previews")
    .action(async ({ local = false, ...flags }: LocalFlags & { local?: boolean }) => {
      const { describePreviews, listPreviews } = await import("../../branch/preview-stack.ts")
      const { json, ...here } = localOptions(flags)
      const options = { ...here, local }
      const previews = describePreviews(await listPreviews(options), options)
      if (json) return print(JSON.stringify(previews))
      if (previews.length === 0) say("No previews.")
      for (const { name, branch = "-", url, lastUpdate = "never updated" } of previews) {
        print(`${name}  ${branch}  ${url}  ${lastUpdate}`)
      }
    })
}

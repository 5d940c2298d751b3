import type { Command } from "commander"

import { branchCommand, type BranchFlags, branchOptions } from "../../command-options.ts"
import { print, say } from "../../output.ts"

type Flags = BranchFlags & { template?: string; dryRun?: boolean }

export function branchDownCommand(): Command {
  return branchCommand("down")
    .argument("[branch]", "or a name as `branch list` prints it; default: the current branch")
    .description("delete the preview of a branch, with its database")
    .option(
      "--template <file>",
      "template of the stack file; {branch} stands for the short branch name",
    )
    .option("--dry-run", "say what would be deleted, and delete nothing")
    .action(async (name: string | undefined, { template, dryRun = false, ...flags }: Flags) => {
      const { hasStack, listPreviews, namedPreview } = await import("../../branch/preview-stack.ts")
      const { currentBranch } = await import("../../branch/branch-name.ts")
      const { json, ...here } = branchOptions(flags)
      const options = { ...here, template }
      const known = await listPreviews(options)
      const branch = name ?? currentBranch()
      const stack = namedPreview(branch, known)
      if (!hasStack(known, stack)) {
        say(`Nothing to do: there is no preview of ${branch}.`)
        if (json) print(JSON.stringify({ stack, changes: {}, dryRun }))
        return
      }
      const { planTakeDown, takeDown } = await import("../../stack/take-down.ts")
      const { summarizeChanges } = await import("../../stack/change-summary.ts")
      const act = dryRun ? planTakeDown : takeDown
      const changes = await act(stack, options)
      say(`${dryRun ? "Would delete" : "Deleted"} ${stack}: ${summarizeChanges(changes)}`)
      if (json) print(JSON.stringify({ stack, changes, dryRun }))
    })
}

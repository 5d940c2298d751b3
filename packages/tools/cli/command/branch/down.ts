import type { Command } from "commander"

import { branchCommand, type BranchFlags, branchOptions } from "../../command-options.ts"
import { confirm } from "../../confirm.ts"
import { print, say } from "../../output.ts"

type Flags = BranchFlags & { dryRun?: boolean; yes?: boolean }

export function branchDownCommand(): Command {
  return branchCommand("down")
    .argument("[branch]", "or a name as `branch list` prints it; default: the current branch")
    .description("delete the preview of a branch, with its database")
    .option("--dry-run", "say what would be deleted, and delete nothing")
    .option("-y, --yes", "do not ask where no stack knows what the account has of it")
    .action(async (name: string | undefined, given: Flags) => {
      const { dryRun = false, yes = false, ...flags } = given
      const { planDown } = await import("../../branch/gone-branches.ts")
      const { openPreviewAccount } = await import("../../branch/held-previews.ts")
      const { listPreviews } = await import("../../branch/preview-stack.ts")
      const { currentBranch } = await import("../../branch/branch-name.ts")
      const { json, ...options } = branchOptions(flags)
      await using account = await openPreviewAccount(options)
      const stacks = () => listPreviews(options)
      const { stack, stored, lost } = await planDown(name, { ...account, stacks })
      if (lost) say(`No stack knows what the account has of ${stack}: ${lost}.`)
      const isDone = !stored && lost === undefined
      if (isDone) say(`Nothing to do: there is no preview of ${name ?? currentBranch()}.`)
      if (isDone || (lost && dryRun)) {
        if (json) print(JSON.stringify({ stack, changes: {}, lost, dryRun }))
        return
      }
      if (lost) await confirm(yes, "Delete it, with its database?")
      const { planTakeDown, takeDown } = await import("../../stack/take-down.ts")
      const { summarizeChanges } = await import("../../stack/progress.ts")
      const act = dryRun ? planTakeDown : takeDown
      const changes = await act(stack, { ...options, stored })
      say(`${dryRun ? "Would delete" : "Deleted"} ${stack}: ${summarizeChanges(changes)}`)
      if (json) print(JSON.stringify({ stack, changes, lost, dryRun }))
    })
}

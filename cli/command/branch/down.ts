import type { Command } from "commander"

import { Failure } from "../../../base/failure.ts"
import type { PreviewChoice } from "../../branch/preview-stack.ts"
import { branchCommand, type BranchFlags, branchOptions } from "../../command-options.ts"
import { confirm } from "../../confirm.ts"
import { print, say } from "../../output.ts"

type Flags = BranchFlags & { template?: string; dryRun?: boolean; yes?: boolean }

export function branchDownCommand(): Command {
  return branchCommand("down")
    .argument("[branch]", "or a name as `branch list` prints it; default: the current branch")
    .description("delete the preview of a branch, with its database")
    .option(
      "--template <file>",
      "template of the stack file; {branch} stands for the short branch name",
    )
    .option("--dry-run", "say what would be deleted, and delete nothing")
    .option("-y, --yes", "do not ask where no stack knows what the account has of it")
    .action(async (name: string | undefined, given: Flags) => {
      const { template, dryRun = false, yes = false, ...flags } = given
      const { hasStack, listPreviews, namedPreview } = await import("../../branch/preview-stack.ts")
      const { currentBranch } = await import("../../branch/branch-name.ts")
      const { json, ...here } = branchOptions(flags)
      const options = { ...here, template }
      const known = await listPreviews(options)
      const branch = name ?? currentBranch()
      const stored = hasStack(known, namedPreview(branch, known))
      const lost = stored ? undefined : await findLost(branch, options)
      const stack = lost?.name ?? namedPreview(branch, known)
      if (lost) say(`No stack knows what the account has of ${stack}: ${lost.description}.`)
      const isDone = !stored && lost === undefined
      if (isDone) say(`Nothing to do: there is no preview of ${branch}.`)
      if (isDone || (lost && dryRun)) {
        if (json) print(JSON.stringify({ stack, changes: {}, lost: lost?.description, dryRun }))
        return
      }
      if (lost) await confirm(yes, "Delete it, with its database?")
      const { planTakeDown, takeDown } = await import("../../stack/take-down.ts")
      const { summarizeChanges } = await import("../../stack/change-summary.ts")
      const act = dryRun ? planTakeDown : takeDown
      const changes = await act(stack, { ...options, stored })
      say(`${dryRun ? "Would delete" : "Deleted"} ${stack}: ${summarizeChanges(changes)}`)
      if (json) print(JSON.stringify({ stack, changes, lost: lost?.description, dryRun }))
    })
}

/**
 * What the account has of a preview whose stack is lost.
 * @throws Failure if it may be somebody else's
 */
async function findLost(branch: string, options: PreviewChoice & { template: string | undefined }) {
  const { describeHeld, openPreviewAccount } = await import("../../branch/held-previews.ts")
  const { namedPreview } = await import("../../branch/preview-stack.ts")
  await using account = await openPreviewAccount(options)
  const all = await account.held()
  const name = namedPreview(
    branch,
    Array.from(all.keys(), (one) => ({ name: one })),
  )
  const held = all.get(name)
  if (held === undefined) return undefined
  const description = describeHeld(held)
  const doubt = await account.doubt(held)
  if (doubt === undefined) return { name, description }
  const message = `No stack knows ${description}, and ${doubt}: it may be somebody else's, so nothing was deleted.`
  throw new Failure("COMMAND_FAILED", message)
}

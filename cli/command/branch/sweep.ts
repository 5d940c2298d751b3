import type { Command } from "commander"

import { Failure, messageOf } from "../../../base/failure.ts"
import type { PreviewChoice } from "../../branch/preview-stack.ts"
import {
  branchCommand,
  type BranchFlags,
  branchOptions,
  wholeNumber,
} from "../../command-options.ts"
import { confirm, expectConfirmable } from "../../confirm.ts"
import { print, say } from "../../output.ts"

type Flags = BranchFlags & { remote: string; days: number; dryRun?: boolean; yes?: boolean }

const days = wholeNumber({ from: 0, to: 3650, message: "A number of days from 0 to 3650." })

export function branchSweepCommand(): Command {
  return branchCommand("sweep")
    .description("delete the previews of branches that no longer exist")
    .option(
      "--remote <name>",
      "git remote whose branches count; with --local this clone's",
      "origin",
    )
    .option("--days <number>", "keep those that were updated within so many days", days, 1)
    .option("--dry-run", "list them, and delete nothing")
    .option("-y, --yes", "do not ask for confirmation")
    .action(async ({ remote, days: kept, dryRun = false, yes = false, ...flags }: Flags) => {
      const question = "Delete the previews of branches that no longer exist, with their databases?"
      if (!dryRun) expectConfirmable(yes, question)
      const { existingBranches, findGone } = await import("../../branch/gone-branches.ts")
      const { listPreviews } = await import("../../branch/preview-stack.ts")
      const { json, ...options } = branchOptions(flags)
      const branches = existingBranches({ ...options, remote })
      const sweep = findGone(await listPreviews(options), { branches, days: kept })
      for (const { stack, reason } of sweep.kept) say(`Kept ${stack}: ${reason}.`)
      for (const stack of sweep.gone) say(`${stack}: its branch is gone.`)
      if (sweep.gone.length === 0) say("Nothing to delete.")
      else if (!dryRun) await confirm(yes, question)
      const { deleted, failed } = await sweepAll(dryRun ? [] : sweep.gone, options)
      if (json) print(JSON.stringify({ ...sweep, deleted, failed, dryRun }))
      if (failed.length === 0) return
      throw new Failure("COMMAND_FAILED", `Not deleted: ${failed.join(", ")}. See above.`)
    })
}

/** Deletes one after the other; a failure does not keep the others from being deleted. */
async function sweepAll(stacks: string[], options: PreviewChoice) {
  const deleted: string[] = []
  const failed: string[] = []
  if (stacks.length === 0) return { deleted, failed }
  const { takeDown } = await import("../../stack/take-down.ts")
  for (const stack of stacks) {
    try {
      await takeDown(stack, { ...options, template: undefined })
      deleted.push(stack)
      say(`Deleted ${stack}.`)
    } catch (error) {
      failed.push(stack)
      say(messageOf(error))
    }
  }
  return { deleted, failed }
}

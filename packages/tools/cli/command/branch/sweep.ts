import type { Command } from "commander"

import { Failure } from "../../../base/failure.ts"
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
      const { planSweep, sweep } = await import("../../branch/gone-branches.ts")
      const { openWorld } = await import("../../branch/open-world.ts")
      const { json, ...options } = branchOptions(flags)
      await using world = await openWorld({ ...options, remote })
      const plan = await planSweep(world, { days: kept })
      for (const { stack, reason } of plan.kept) say(`Kept ${stack}: ${reason}.`)
      for (const { stack, reason } of plan.gone) say(`${stack}: ${reason}.`)
      const gone = plan.gone.map(({ stack }) => stack)
      if (gone.length === 0) say("Nothing to delete.")
      else if (!dryRun) await confirm(yes, question)
      const stacks = dryRun ? [] : gone
      const { deleted, failed } = await sweep(world, { stacks, days: kept, say })
      if (json) print(JSON.stringify({ ...plan, gone, deleted, failed, dryRun }))
      if (failed.length === 0) return
      throw new Failure("COMMAND_FAILED", `Not deleted: ${failed.join(", ")}. See above.`)
    })
}

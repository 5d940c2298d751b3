import { Command } from "commander"

import { paint, say } from "../../output.ts"
import { branchDownCommand } from "./down.ts"
import { branchListCommand } from "./list.ts"
import { branchSweepCommand } from "./sweep.ts"
import { branchUpCommand } from "./up.ts"

/** To users of Pulumi a preview is a plan, so this name is hidden, and goes with the next version. */
const formerName = "preview"

export function branchGroup(): Command {
  return new Command("branch")
    .description("previews: one environment per branch")
    .addCommand(branchUpCommand())
    .addCommand(branchDownCommand())
    .addCommand(branchListCommand())
    .addCommand(branchSweepCommand())
}

export function formerBranchGroup(): Command {
  return branchGroup()
    .name(formerName)
    .hook("preAction", (_, command) => {
      say(paint.yellow(`\`${formerName} ${command.name()}\` is \`branch ${command.name()}\` now.`))
    })
}

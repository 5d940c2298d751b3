import { Command } from "commander"

import { branchDownCommand } from "./down.ts"
import { branchListCommand } from "./list.ts"
import { branchMailCommand } from "./mail.ts"
import { branchSweepCommand } from "./sweep.ts"
import { branchUpCommand } from "./up.ts"

export function branchGroup(): Command {
  return new Command("branch")
    .description("previews: one environment per branch")
    .addCommand(branchUpCommand())
    .addCommand(branchDownCommand())
    .addCommand(branchListCommand())
    .addCommand(branchMailCommand())
    .addCommand(branchSweepCommand())
}

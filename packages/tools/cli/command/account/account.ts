import { Command } from "commander"

import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"

const waysCommand = stackCommand("ways")
  .description(
    "count whom accounts:password: off, or the loss of a provider, would keep out, and whom accounts:requireSecondFactor would hold",
  )
  .action(async (flags: StackFlags) => {
    const { showWays } = await import("../../account/show-ways.ts")
    await showWays(stackOptions(flags))
  })

export const accountGroup = new Command("account")
  .description("how people get into their accounts")
  .addCommand(waysCommand)

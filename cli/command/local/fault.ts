import { Command } from "commander"

import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"

const listCommand = localCommand("list")
  .description("list the rules and how often each has fired")
  .action(async (flags: LocalFlags) => {
    const { printFaults } = await import("../../running/faults.ts")
    await printFaults(localOptions(flags))
  })

const addCommand = localCommand("add")
  .argument("<rule>", "the rule, a JSON object")
  .description("add a rule (docs/local-cloudflare.md describes the format)")
  .action(async (rule: string, flags: LocalFlags) => {
    const { addFault } = await import("../../running/faults.ts")
    await addFault(rule, localOptions(flags))
  })

const clearCommand = localCommand("clear")
  .argument("[name]", "name of the rule; all of them by default")
  .description("remove one rule, or all of them")
  .action(async (name: string | undefined, flags: LocalFlags) => {
    const { clearFaults } = await import("../../running/faults.ts")
    await clearFaults(name, localOptions(flags))
  })

export const faultGroup = new Command("fault")
  .description("make the local Cloudflare fail on purpose")
  .addCommand(listCommand)
  .addCommand(addCommand)
  .addCommand(clearCommand)

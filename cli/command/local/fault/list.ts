import { localCommand, localOptions, type LocalFlags } from "../../../command-options.ts"

export const faultListCommand = localCommand("list")
  .description("list the rules and how often each has fired")
  .action(async (flags: LocalFlags) => {
    const { printFaults } = await import("../../../running/faults.ts")
    await printFaults(localOptions(flags))
  })

import { localCommand, localOptions, type LocalFlags } from "../../../command-options.ts"

export const faultClearCommand = localCommand("clear")
  .argument("[name]", "name of the rule; all of them by default")
  .description("remove one rule, or all of them")
  .action(async (name: string | undefined, flags: LocalFlags) => {
    const { clearFaults } = await import("../../../running/faults.ts")
    await clearFaults(name, localOptions(flags))
  })

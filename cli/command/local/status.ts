import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"

export const statusCommand = localCommand("status")
  .description("show what is running; exit code 1 if nothing is")
  .action(async (flags: LocalFlags) => {
    const { printStatus } = await import("../../running/status.ts")
    await printStatus(localOptions(flags))
  })

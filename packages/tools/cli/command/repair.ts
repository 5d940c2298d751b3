import { stackCommand, type StackFlags, stackOptions } from "../command-options.ts"
import { print, say } from "../output.ts"

export const repairCommand = stackCommand("repair")
  .description("repair a stack that an interrupted run left behind")
  .option("--lock <id...>", "also remove this lock, whose run is no longer active anywhere")
  .action(async ({ lock: locks = [], ...flags }: StackFlags & { lock?: string[] }) => {
    const { repairStack, redeployCommand } = await import("../repair/repair.ts")
    const { stack, json, ...options } = stackOptions(flags)
    const repaired = await repairStack(stack, { ...options, locks })
    if (json) return print(JSON.stringify(repaired))
    if (repaired.locks + repaired.adopted.length + repaired.cleared.length === 0) {
      return say("Nothing to repair.")
    }
    say(`Repaired. Deploy it again: ${redeployCommand(stack, options.local)}`)
  })

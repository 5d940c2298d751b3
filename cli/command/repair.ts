import { localOptions, stackCommand, type LocalFlags } from "../command-options.ts"
import { print, say } from "../output.ts"
import { withStack } from "../stack-option.ts"

type RepairFlags = LocalFlags & {
  stack: string
  local?: boolean
  lock?: string[]
}

export const repairCommand = withStack(stackCommand("repair", "the stack is a preview"))
  .description("repair a stack that an interrupted run left behind")
  .option("--lock <id...>", "also remove this lock, whose run is no longer active anywhere")
  .action(async (flags: RepairFlags) => {
    const { repairStack, redeployCommand } = await import("../repair/repair.ts")
    const { stack, local = false, lock = [] } = flags
    const { json, ...options } = localOptions(flags)
    const { locks, adopted, cleared } = await repairStack(stack, {
      ...options,
      local,
      locks: lock,
    })
    if (json) return print(JSON.stringify({ locks, adopted, cleared }))
    if (locks + adopted.length + cleared.length === 0) return say("Nothing to repair.")
    say(`Repaired. Deploy it again: ${redeployCommand(stack, local)}`)
  })

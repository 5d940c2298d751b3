import { Failure } from "../../../base/failure.ts"
import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"
import { print } from "../../output.ts"

const help = `
A pending file needs no attention: the next deployment applies it. It changes nothing.

Exit code 0: nothing needs attention. 1: something does, or the database cannot be asked.
`

export const databaseStatusCommand = stackCommand("status")
  .description("compare a stack's database with the migrations, and with the version that serves")
  .addHelpText("after", help)
  .action(async (flags: StackFlags) => {
    const { json, ...options } = stackOptions(flags)
    const { migrationsDirectory } = await import("../../../base/root.ts")
    const { readMigrations } = await import("../../../environment/own-names.ts")
    const { openDeployedStack } = await import("../../stack/deployed-stack.ts")
    const { readStatus } = await import("../../database/status/status.ts")
    const { describeStatus } = await import("../../database/status/describe-status.ts")
    const files = await readMigrations(migrationsDirectory)
    await using deployed = await openDeployedStack(options)
    const status = await readStatus(deployed, files)
    print(json ? JSON.stringify(status) : describeStatus(status))
    const { length } = status.attention
    if (length === 0) return
    const things = length === 1 ? "One thing needs" : `${length} things need`
    throw new Failure("COMMAND_FAILED", `${things} attention in the database of ${options.stack}.`)
  })

import { Failure } from "../../../base/failure.ts"
import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"
import { print } from "../../output.ts"

const help = `
Exit code 0: a version serves, and the schema fits it. 1: it does not, or cannot be asked.
`

export const releaseStatusCommand = stackCommand("status")
  .description("say what serves, since when and by whom, and whether the schema fits it")
  .addHelpText("after", help)
  .action(async (flags: StackFlags) => {
    const { json, ...options } = stackOptions(flags)
    const { openDeployedStack } = await import("../../stack/deployed-stack.ts")
    const { describeStatus, readReleaseStatus } = await import("../../release/release-status.ts")
    await using deployed = await openDeployedStack(options)
    const status = await readReleaseStatus(deployed)
    print(json ? JSON.stringify(status) : describeStatus(status))
    if (status.attention === undefined) return
    throw new Failure("COMMAND_FAILED", status.attention)
  })

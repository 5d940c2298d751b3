import { wholeNumber } from "../../command-options.ts"
import { print, say } from "../../output.ts"
import {
  deployedStackCommand,
  deployedStackOptions,
  type DeployedStackFlags,
} from "../deployed-stack-command.ts"

const number = wholeNumber({ from: 1, to: 1000, message: "A number of deployments from 1 on." })

export const releaseListCommand = deployedStackCommand("list")
  .description("list what was deployed, when and by whom, the newest first")
  .option("-n, --number <count>", "at most so many", number, 10)
  .action(async ({ number: most, ...flags }: DeployedStackFlags & { number: number }) => {
    const { json, ...options } = deployedStackOptions(flags)
    const { openDeployedStack, readSite } = await import("../../stack/deployed-stack.ts")
    const { describeDeployments } = await import("../../release/describe-deployments.ts")
    const { openDeployments } = await import("../../../provider/release/deployments.ts")
    await using deployed = await openDeployedStack(readSite(options), options)
    const { api, accountId, worker: scriptName } = deployed
    const all = await openDeployments({ api, accountId, scriptName }).list()
    const list = all.slice(0, most)
    if (json) return print(JSON.stringify(list))
    if (list.length === 0) return say(`${scriptName} has never been deployed.`)
    print(describeDeployments(list))
  })

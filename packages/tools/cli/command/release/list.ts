import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"
import { print, say } from "../../output.ts"

/** What a terminal shows at once. */
const most = 10

export const releaseListCommand = stackCommand("list")
  .description(`list what was deployed, when and by whom: the newest ${most}`)
  .action(async (flags: StackFlags) => {
    const { json, ...options } = stackOptions(flags)
    const { openDeployedStack } = await import("../../stack/deployed-stack.ts")
    const { describeDeployments, withoutTrials } =
      await import("../../release/describe-deployments.ts")
    const { openDeployments } = await import("../../../deploy/release/deployments.ts")
    await using deployed = await openDeployedStack(options)
    const { api, accountId, worker: scriptName } = deployed
    const all = await openDeployments({ api, accountId, scriptName }).list()
    if (json) return print(JSON.stringify(all.slice(0, most)))
    const list = withoutTrials(all).slice(0, most)
    if (list.length === 0) return say(`${scriptName} has never been deployed.`)
    print(describeDeployments(list))
  })

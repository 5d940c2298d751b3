import { wholeNumber } from "../../command-options.ts"
import { confirm, expectConfirmable } from "../../confirm.ts"
import { print, say } from "../../output.ts"
import {
  deployedStackCommand,
  deployedStackOptions,
  type DeployedStackFlags,
} from "../deployed-stack-command.ts"

const help = `
The version is tried at no traffic first: its health, and whether it fits the schema of now, which
no rollback changes. If that fails, the version of now goes on serving.

The next \`up\` releases the newest version again, so revert the commit before it.
`

type Flags = DeployedStackFlags & {
  patience: number
  force?: boolean
  dryRun?: boolean
  yes?: boolean
}

const seconds = wholeNumber({ from: 1, to: 3600, message: "Seconds, from 1 to 3600." })

export const releaseRollbackCommand = deployedStackCommand("rollback")
  .argument("[version]", "id of a version; default: the one that served before")
  .description("give all traffic to a former version")
  .option("--patience <seconds>", "for the version to become healthy", seconds, 60)
  .option("--force", "also where secrets have changed since: those of that version serve then")
  .option("--dry-run", "say what would serve, and change nothing")
  .option("-y, --yes", "do not ask for confirmation")
  .addHelpText("after", help)
  .action(
    async (
      version: string | undefined,
      { patience, force = false, dryRun = false, yes = false, ...flags }: Flags,
    ) => {
      const { json, ...options } = deployedStackOptions(flags)
      const question = `Give all traffic of ${options.stack} to a former version?`
      if (!dryRun) expectConfirmable(yes, question)
      const { openDeployedStack, readSite } = await import("../../stack/deployed-stack.ts")
      const { planRollback, rollBack } = await import("../../release/rollback.ts")
      await using deployed = await openDeployedStack(readSite(options), options)
      const planned = await planRollback(deployed, version)
      const { from, to } = planned
      say(`${from} serves. ${to} ${dryRun ? "would" : "will"} serve in its place.`)
      if (dryRun) return json ? print(JSON.stringify({ from, to, dryRun })) : undefined
      await confirm(yes, question)
      const log = { info: sayIndented, warn: sayIndented }
      const { signal } = new AbortController()
      const tried = { patience: patience * 1000, force, log, signal }
      const { id } = await rollBack(deployed, planned, tried)
      if (json) print(JSON.stringify({ from, to, deploymentId: id, dryRun }))
      say("The next `up` releases the newest version again: revert the commit before it.")
    },
  )

function sayIndented(message: string): void {
  say(`  ${message}`)
}

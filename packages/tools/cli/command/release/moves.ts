import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"
import { confirm, expectConfirmable } from "../../confirm.ts"
import { print, say } from "../../output.ts"

type Flags = StackFlags & { force?: boolean; dryRun?: boolean; yes?: boolean }

/** Milliseconds for a version to become healthy. */
const patience = 60_000

const help = `
What is to serve is tried first, without more traffic: its health, and whether it fits the schema of
now, which this does not change. If that fails, what serves now goes on serving. Of a split that a killed
release left, naming the new version finishes it.

The next \`up\` releases the version of its commit again: to keep another one, revert the commit.
`

export const releaseRollbackCommand = stackCommand("rollback")
  .argument("[version]", "id of a version that gets all traffic; default: what served before")
  .description("give the traffic back to what served before, or to a version that is named")
  .option("--force", "also where secrets have changed since: those of then serve")
  .option("--dry-run", "say what would serve, and change nothing")
  .option("-y, --yes", "do not ask for confirmation")
  .addHelpText("after", help)
  .action(async (version: string | undefined, given: Flags) => {
    const { force = false, dryRun = false, yes = false, ...flags } = given
    const { json, ...options } = stackOptions(flags)
    const question = `Give other versions the traffic of ${options.stack}?`
    if (!dryRun) expectConfirmable(yes, question)
    const { openDeployedStack } = await import("../../stack/deployed-stack.ts")
    const { moveTraffic, planRollback } = await import("../../release/traffic-move.ts")
    const { nameOf } = await import("../../../deploy/release/deployments.ts")
    await using deployed = await openDeployedStack(options)
    const move = await planRollback(deployed, version)
    const { to } = move
    const from = move.history[0].split
    say(`Live: ${nameOf(from)}. ${dryRun ? "Would" : "Will"} serve in its place: ${nameOf(to)}.`)
    if (dryRun) return json ? print(JSON.stringify({ from, to, dryRun })) : undefined
    await confirm(yes, question)
    const [indent, { signal }] = [(text: string) => say(`  ${text}`), new AbortController()]
    const log = { info: indent, warn: indent }
    const { id } = await moveTraffic(deployed, move, { patience, force, log, signal })
    if (json) print(JSON.stringify({ from, to, deploymentId: id, dryRun }))
    say("The next `up` releases the version of its commit again.")
  })

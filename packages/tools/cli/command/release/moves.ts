import type { Command } from "commander"

import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"
import { confirm, expectConfirmable } from "../../confirm.ts"
import { print, say } from "../../output.ts"
import type * as Moves from "../../release/traffic-move.ts"
import type { DeployedStack } from "../../stack/deployed-stack.ts"

type MoveFlags = StackFlags & {
  force?: boolean
  untried?: boolean
  dryRun?: boolean
  yes?: boolean
}

type Move = {
  /** Asks whether to do it to a stack. */
  question: string
  plan: (moves: typeof Moves, site: DeployedStack) => Promise<Moves.TrafficMove>
}

/** Milliseconds for a version to become healthy. */
const patience = 60_000

const help = `
What is to serve is tried first, without more traffic: its health, and whether it fits the schema of
now, which this does not change. If that fails, what serves now goes on serving.

The next \`up\` releases the version of its commit again: to keep another one, revert the commit.
`

/** A command that moves the traffic of a stack between versions that exist. */
function moveCommand(name: string): Command {
  return stackCommand(name)
    .option("--force", "also where secrets have changed since: those of then serve")
    .option("--dry-run", "say what would serve, and change nothing")
    .option("-y, --yes", "do not ask for confirmation")
    .addHelpText("after", help)
}

async function runMove(
  { force = false, untried = false, dryRun = false, yes = false, ...flags }: MoveFlags,
  { question: asked, plan }: Move,
): Promise<void> {
  const { json, ...options } = stackOptions(flags)
  const question = `${asked} ${options.stack}?`
  if (!dryRun) expectConfirmable(yes, question)
  const { openDeployedStack, readSite } = await import("../../stack/deployed-stack.ts")
  const moves = await import("../../release/traffic-move.ts")
  const { nameOf } = await import("../../../provider/release/deployments.ts")
  await using deployed = await openDeployedStack(options, {
    ...readSite(options),
    // Who asks nothing needs no headers, and perhaps has no key to open them.
    ...(untried && { sealedHeaders: false }),
  })
  const move = await plan(moves, deployed)
  const { to } = move
  const from = move.history[0].split
  const how = untried ? " Nothing is asked of it first." : ""
  say(
    `Live: ${nameOf(from)}. ${dryRun ? "Would" : "Will"} serve in its place: ${nameOf(to)}.${how}`,
  )
  if (dryRun) return json ? print(JSON.stringify({ from, to, dryRun })) : undefined
  await confirm(yes, question)
  const log = { info: sayIndented, warn: sayIndented }
  const { signal } = new AbortController()
  const { id } = await moves.moveTraffic(deployed, move, {
    patience,
    force,
    log,
    signal,
  })
  if (json) print(JSON.stringify({ from, to, deploymentId: id, dryRun }))
  say("The next `up` releases the version of its commit again.")
}

export const releaseRollbackCommand = moveCommand("rollback")
  .argument("[version]", "id of a version that gets all traffic; default: what served before")
  .description("give the traffic back to what served before, or to a former version")
  .option(
    "--untried",
    "ask nothing of it first, where it cannot be asked: nobody knows if it serves",
  )
  .action((version: string | undefined, flags: MoveFlags) =>
    runMove(flags, {
      question: "Give former versions the traffic of",
      plan: (moves, site) => moves.planRollback(site, version, flags.untried),
    }),
  )

export const releaseFinishCommand = moveCommand("finish")
  .argument("[version]", "id of one of the two versions; default: the newer one")
  .description("give all traffic to the new version of a split that a killed release left")
  .action((version: string | undefined, flags: MoveFlags) =>
    runMove(flags, {
      question: "Give the new version all traffic of",
      plan: (moves, site) => moves.planFinish(site, version),
    }),
  )

export const releaseCancelCommand = moveCommand("cancel")
  .description("give the traffic of a split back to what served before it")
  .action((flags: MoveFlags) =>
    runMove(flags, {
      question: "Cancel the release of",
      plan: (moves, site) => moves.planCancel(site),
    }),
  )

function sayIndented(message: string): void {
  say(`  ${message}`)
}

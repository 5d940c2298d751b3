import { Command } from "commander"

import { Failure } from "../base/failure.ts"
import { stackCommand, type StackFlags, withConfirmation } from "./command-options.ts"
import { confirm, expectConfirmable, untilInterrupted } from "./confirm.ts"
import { nextCommand } from "./local-options.ts"
import { print, say } from "./output.ts"

const status = stackCommand("status")
  .description("say what serves, since when and by whom, and whether the schema fits it")
  .addHelpText(
    "after",
    "\nExit code 0: a version serves, and the schema fits it. 1: it does not, or cannot be asked.\n",
  )
  .action(async ({ json, ...options }: StackFlags) => {
    const { openDeployedStack } = await import("./stack/deployed-stack.ts")
    const { describeStatus, readReleaseStatus } = await import("./release/release-status.ts")
    await using deployed = await openDeployedStack(options)
    const releaseStatus = await readReleaseStatus(deployed)
    print(json ? JSON.stringify(releaseStatus) : describeStatus(releaseStatus))
    if (releaseStatus.attention === undefined) return
    throw new Failure("COMMAND_FAILED", releaseStatus.attention)
  })

/** Rows that fit on a terminal. */
const most = 10

const list = stackCommand("list")
  .description(`list what was deployed, when and by whom: the newest ${most}`)
  .action(async ({ json, ...options }: StackFlags) => {
    const { openDeployedStack } = await import("./stack/deployed-stack.ts")
    const { describeDeployments, withoutTrials } = await import("./release/release-status.ts")
    const { openDeployments } = await import("../deploy/release/deployments.ts")
    await using deployed = await openDeployedStack(options)
    const { api, accountId, worker: scriptName } = deployed
    const deployments = await openDeployments({ api, accountId, scriptName }).list()
    if (json) return print(JSON.stringify(deployments.slice(0, most)))
    const visibleDeployments = withoutTrials(deployments).slice(0, most)
    if (visibleDeployments.length === 0) return say(`${scriptName} has never been deployed.`)
    print(describeDeployments(visibleDeployments))
  })

/** Milliseconds for a version to become healthy. */
const patience = 60_000

type RollbackFlags = StackFlags & { force: boolean; dryRun: boolean; yes: boolean }

const rollback = withConfirmation(
  stackCommand("rollback")
    .argument("[version]", "id of a version that gets all traffic; default: what served before")
    .description("give the traffic back to what served before, or to a version that is named")
    .option("--force", "also where secrets have changed since: those of then serve"),
  "say what would serve, and change nothing",
)
  .addHelpText(
    "after",
    `
What is to serve is tried first, without more traffic: its health, and whether it fits the schema of
now, which this does not change. If that fails, what serves now goes on serving. Of a split that a killed
release left, naming the new version finishes it.

The next \`up\` releases the version of its commit again: to keep another one, revert the commit.
`,
  )
  .action(async (version: string | undefined, flags: RollbackFlags) => {
    const { force, dryRun, yes, json, ...options } = flags
    const question = `Give other versions the traffic of ${options.stack}?`
    if (!dryRun) expectConfirmable(yes, question)
    const { openDeployedStack } = await import("./stack/deployed-stack.ts")
    const { moveTraffic, planRollback } = await import("./release/traffic-move.ts")
    const { nameOf } = await import("../deploy/release/deployments.ts")
    await using deployed = await openDeployedStack(options)
    const move = await planRollback(deployed, version)
    const { to } = move
    const from = move.history[0].split
    say(`Live: ${nameOf(from)}. ${dryRun ? "Would" : "Will"} serve in its place: ${nameOf(to)}.`)
    if (dryRun) return json ? print(JSON.stringify({ from, to, dryRun })) : undefined
    await confirm(yes, question)
    const indent = (text: string) => say(`  ${text}`)
    const how = { patience, force, log: { info: indent, warn: indent } }
    const outcome = `${nextCommand("release status", options)} says what serves.`
    const { id } = await untilInterrupted(outcome, (signal) =>
      moveTraffic(deployed, move, { ...how, signal }),
    )
    if (json) print(JSON.stringify({ from, to, deploymentId: id, dryRun }))
    say("The next `up` releases the version of its commit again.")
  })

const candidate = new Command("candidate")
  .description("say as JSON what this commit releases: bundle, migrations, bindings, flags")
  .option("--expect <file>", "exit with code 1 unless the content is that of this file")
  .addHelpText(
    "after",
    `
Needs neither keys nor an account. The workflow of staging writes it once its deployment is verified, and
that of production releases nothing else: it takes the commit from there, and compares what it builds.
`,
  )
  .action(async ({ expect: file }: { expect?: string }) => {
    const { expectSame, readCandidate } = await import("./release/traffic-move.ts")
    const built = await readCandidate()
    if (file !== undefined) expectSame(file, built)
    print(JSON.stringify(built))
  })

export const releaseGroup = new Command("release").description(
  "what serves a stack, what served before, and the way back",
)
for (const command of [status, list, rollback, candidate]) releaseGroup.addCommand(command)

import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"

import { Argument, Command } from "commander"

import { Failure } from "../base/failure.ts"
import { type LocalFlags, localCommand, wholeNumber, withConfirmation } from "./command-options.ts"
import { confirm } from "./confirm.ts"
import { print, say } from "./output.ts"
import { faultPresets } from "./running/fault-presets.ts"

const env = localCommand("env")
  .description(
    'print the variables for `pulumi` and `wrangler` on `local`: eval "$(./accounts local env)"',
  )
  .action(async (options: LocalFlags) => {
    const { printEnvironment } = await import("./stack/local-clients.ts")
    await printEnvironment(options)
  })

const status = localCommand("status")
  .description("show what is running; exit code 1 if nothing is")
  .action(async (options: LocalFlags) => {
    const { printStatus } = await import("./running/status.ts")
    await printStatus(options)
  })

const limit = wholeNumber({ from: 0, to: 10_000, message: "It must be a number from 0 to 10000." })

type LogFlags = LocalFlags & { follow: boolean; limit: number; kind?: string }

const log = localCommand("log")
  .description(
    "print past events: requests to Workers and what these print, API calls, deployments, faults",
  )
  .option("-f, --follow", "keep printing new events until Ctrl-C; with --json, one document a line")
  .option("-n, --limit <number>", "print at most this many past events", limit, 100)
  .option("--kind <kind>", "request, api, deployment, cron, worker, fault, problem, …")
  .action(async ({ kind, ...options }: LogFlags) => {
    const { log: printLog } = await import("./running/log.ts")
    await printLog({ ...options, filter: { ...(kind && { kind }) } })
  })

const mail = localCommand("mail")
  .description("print the e-mails that the service sent")
  .option("--follow", "keep printing new e-mails until Ctrl-C")
  .action(async (options: LocalFlags & { follow: boolean }) => {
    const { printEmails } = await import("./running/emails.ts")
    await printEmails(options)
  })

const reset = withConfirmation(
  localCommand("reset"),
  "say what would be removed, and remove nothing",
)
  .description("remove the state directory with every local database")
  .action(async ({ yes, dryRun, state }: LocalFlags & { yes: boolean; dryRun: boolean }) => {
    const { findRunning } = await import("./process/local-cloudflare.ts")
    const running = await findRunning(state)
    if (running) {
      throw new Failure(
        "COMMAND_FAILED",
        `The local Cloudflare is running on ${state} (process ${running.pid}). Stop \`npm start\` first.`,
      )
    }
    if (existsSync(state) && !existsSync(join(state, "cloudflare"))) {
      throw new Failure(
        "USAGE",
        `${state} is not a state directory: it has no folder cloudflare. Nothing was removed.`,
      )
    }
    if (dryRun) {
      return say(existsSync(state) ? `Would remove ${state}.` : `There is no ${state}.`)
    }
    await confirm(yes, `Remove ${state} with every local database in it?`)
    rmSync(state, { recursive: true, force: true })
    say(`Removed ${state}. \`npm start\` creates a new one.`)
  })

const wranglerConfig = localCommand("wrangler-config")
  .description("write a wrangler config for the deployed Worker and print its path")
  .action(async ({ json, ...options }: LocalFlags) => {
    const { writeWranglerConfig } = await import("./stack/local-clients.ts")
    const path = await writeWranglerConfig(options)
    print(json ? JSON.stringify({ path }) : path)
  })

const names = [...Object.keys(faultPresets), "off"]

const fault = localCommand("fault")
  .addArgument(
    new Argument("[name]", "what is to fail, or off; without it they are listed").choices(names),
  )
  .description("make the local Cloudflare fail on purpose")
  .action(async (name: string | undefined, options: LocalFlags) => {
    const { printFaults, setFault } = await import("./running/faults.ts")
    await (name === undefined ? printFaults(options) : setFault(name, options))
  })

export const localGroup = new Command("local").description("the environment on this machine")
for (const command of [env, status, log, mail, reset, wranglerConfig, fault]) {
  localGroup.addCommand(command)
}

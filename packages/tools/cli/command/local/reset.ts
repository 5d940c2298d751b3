import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"

import { Failure } from "../../../base/failure.ts"
import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"
import { confirm } from "../../confirm.ts"
import { say } from "../../output.ts"

type Flags = LocalFlags & { yes?: boolean; dryRun?: boolean }

export const resetCommand = localCommand("reset")
  .description("remove the state directory with every local database")
  .option("--dry-run", "say what would be removed, and remove nothing")
  .option("-y, --yes", "do not ask for confirmation")
  .action(async ({ yes = false, dryRun = false, ...flags }: Flags) => {
    const { findRunning } = await import("../../process/local-cloudflare.ts")
    const { state } = localOptions(flags)
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

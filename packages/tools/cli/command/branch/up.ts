import { resolve } from "node:path"

import type { Command } from "commander"

import {
  branchCommand,
  type BranchFlags,
  branchOptions,
  wholeNumber,
} from "../../command-options.ts"
import type { StackChoice } from "../../local-options.ts"
import { paint, print, say } from "../../output.ts"

type Flags = BranchFlags & { fresh?: boolean; expires?: number }

const days = wholeNumber({ from: 1, to: 365, message: "A number of days from 1 to 365." })

export function branchUpCommand(): Command {
  return branchCommand("up")
    .argument(
      "[branch]",
      "default: the branch that is checked out; another one's commit is deployed from a worktree",
    )
    .description("deploy the preview of a branch")
    .option("--fresh", "empty the preview's database first, and make it again")
    .option(
      "--expires <days>",
      "after so many days `branch sweep` deletes it, its branch or not",
      days,
    )
    .action(async (branch: string | undefined, given: Flags) => {
      const { fresh = false, expires, ...flags } = given
      const { openPreview } = await import("../../branch/preview.ts")
      const { currentBranch, expectBranchName } = await import("../../branch/branch-name.ts")
      const { previewStackOf } = await import("../../branch/preview-stack.ts")
      const { freshen } = await import("../../stack/hold.ts")
      const { nameWhatExists } = await import("../../repair/name-what-exists.ts")
      const { readSubject } = await import("../../repair/namesakes.ts")
      const { up } = await import("../../stack/stack.ts")
      const { summarizeChanges } = await import("../../stack/progress.ts")
      const { json, ...options } = branchOptions(flags)
      if (branch !== undefined) expectBranchName(branch)
      const checkedOut = branch === undefined ? currentBranch() : branchIfAny(currentBranch)
      const name = branch ?? checkedOut
      if (name !== checkedOut) {
        const { runOnBranch } = await import("../../branch/branch-worktree.ts")
        const args = commandOf(name, { ...options, json, fresh, expires })
        process.exitCode = runOnBranch(name, { state: options.state, args })
        return
      }
      if (!options.local) {
        const { expectRoom } = await import("../../branch/expect-room.ts")
        await expectRoom(previewStackOf(name), options)
      }
      await using preview = await openPreview(previewStackOf(name), options)
      const { stack, temporary } = preview
      const { previewTags } = await import("../../branch/preview-tags.ts")
      const tags = previewTags(name, { expires })
      if (fresh) await freshen(preview, { ...options, stack: stack.name })
      const { changes, outputs } = await nameWhatExists(preview, options, () => up(stack, { tags }))
      const { seedPreview } = await import("../../branch/seed-preview.ts")
      const { accountId } = readSubject(preview.project).environment
      const place = { api: preview.api, accountId, databaseId: String(outputs["databaseId"]) }
      const isSeeded = await seedPreview(place)
      const url = String(outputs["url"])
      say(`${summarizeChanges(changes)}${isSeeded ? "; ran environments/seed.sql" : ""}`)
      print(json ? JSON.stringify({ stack: stack.name, url, changes }) : `ready ${url}`)
      if (temporary) {
        say(
          paint.dim("  It answers while the local Cloudflare runs: `npm start` keeps it running."),
        )
      }
    })
}

type Chosen = StackChoice & {
  fresh: boolean
  json: boolean
  expires: number | undefined
}

/** The same command, by absolute paths. */
function commandOf(branch: string, chosen: Chosen): string[] {
  const { state, apiPort, port, engine, json, local, fresh, expires } = chosen
  return [
    "branch",
    "up",
    `--state=${state}`,
    ...(local ? ["--local", `--port=${port}`, `--api-port=${apiPort}`] : []),
    ...(engine === undefined ? [] : [`--engine=${resolve(engine)}`]),
    ...(fresh ? ["--fresh"] : []),
    ...(expires === undefined ? [] : [`--expires=${expires}`]),
    ...(json ? ["--json"] : []),
    "--",
    branch,
  ]
}

function branchIfAny(currentBranch: () => string): string {
  try {
    return currentBranch()
  } catch {
    return "no branch"
  }
}

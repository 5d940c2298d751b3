import type { Command } from "commander"

import { branchCommand, type BranchFlags, branchOptions } from "../../command-options.ts"
import { paint, print, say } from "../../output.ts"

type Flags = BranchFlags & { fresh?: boolean; template?: string }

export function branchUpCommand(): Command {
  return branchCommand("up")
    .argument("[branch]", "default: the branch that is checked out")
    .description("deploy the preview of a branch")
    .option(
      "--template <file>",
      "template of the stack file; {branch} stands for the short branch name",
    )
    .option("--fresh", "empty the preview's database first, and make it again")
    .action(async (branch: string | undefined, { fresh = false, template, ...flags }: Flags) => {
      const { openPreview } = await import("../../branch/preview.ts")
      const { currentBranch, expectBranchName } = await import("../../branch/branch-name.ts")
      const { previewStackOf } = await import("../../branch/preview-stack.ts")
      const { freshen } = await import("../../stack/freshen.ts")
      const { nameWhatExists } = await import("../../repair/name-what-exists.ts")
      const { up } = await import("../../stack/stack.ts")
      const { summarizeChanges } = await import("../../stack/change-summary.ts")
      const { json, ...here } = branchOptions(flags)
      const options = { ...here, template }
      if (branch !== undefined) expectBranchName(branch)
      const checkedOut = branch === undefined ? currentBranch() : branchIfAny(currentBranch)
      const name = branch ?? checkedOut
      if (name !== checkedOut) {
        say(`This deploys what is checked out here (${checkedOut}) as the preview of ${name}.`)
      }
      await using preview = await openPreview(previewStackOf(name), options)
      const { stack, temporary } = preview
      if (fresh) await freshen(preview, { ...here, stack: stack.name })
      const { changes, outputs } = await nameWhatExists(preview, here, () => up(stack))
      const url = String(outputs["url"])
      say(summarizeChanges(changes))
      print(json ? JSON.stringify({ stack: stack.name, url, changes }) : `ready ${url}`)
      if (temporary) {
        say(
          paint.dim("  It answers while the local Cloudflare runs: `npm start` keeps it running."),
        )
      }
    })
}

function branchIfAny(currentBranch: () => string): string {
  try {
    return currentBranch()
  } catch {
    return "no branch"
  }
}

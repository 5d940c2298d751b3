import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"
import { print, say } from "../../output.ts"

export const previewDownCommand = localCommand("down")
  .argument("[branch]", "or a name as `preview list` prints it; default: the current branch")
  .description("delete the preview of a branch, with its database")
  .option("--local", "the preview is on this machine's Cloudflare")
  .option(
    "--template <file>",
    "template of the stack file; {branch} stands for the short branch name",
  )
  .action(
    async (
      name: string | undefined,
      { local = false, template, ...flags }: LocalFlags & { local?: boolean; template?: string },
    ) => {
      const { hasStack, listPreviews, namedPreview } = await import("../../stack/preview-stack.ts")
      const { currentBranch } = await import("../../stack/branch-name.ts")
      const { json, ...here } = localOptions(flags)
      const options = { ...here, local, template }
      const known = await listPreviews(options)
      const branch = name ?? currentBranch()
      const stack = namedPreview(branch, known)
      if (!hasStack(known, stack)) {
        say(`Nothing to do: there is no preview of ${branch}.`)
        if (json) print(JSON.stringify({ stack, changes: {} }))
        return
      }
      const { takeDown } = await import("../../stack/take-down.ts")
      const { summarizeChanges } = await import("../../stack/change-summary.ts")
      const changes = await takeDown(stack, options)
      say(`Deleted ${stack}: ${summarizeChanges(changes)}`)
      if (json) print(JSON.stringify({ stack, changes }))
    },
  )

import { rmSync } from "node:fs"

import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"
import { print, say } from "../../output.ts"

export const previewDownCommand = localCommand("down")
  .argument("[branch]", "the current branch by default")
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
      const { expectKnown, listPreviews, previewStackOf } =
        await import("../../stack/preview-stack.ts")
      const { openPreview } = await import("../../stack/preview.ts")
      const { currentBranch } = await import("../../stack/branch-name.ts")
      const { destroy } = await import("../../stack/stack.ts")
      const { summarizeChanges } = await import("../../stack/change-summary.ts")
      const { json, ...here } = localOptions(flags)
      const options = { ...here, local, template }
      const branch = name ?? currentBranch()
      expectKnown(previewStackOf(branch), await listPreviews(options), branch)
      await using preview = await openPreview(branch, options)
      const { stack } = preview
      const changes = await destroy(stack)
      await stack.workspace.removeStack(stack.name)
      rmSync(stack.workspace.workDir, { recursive: true })
      say(`Deleted ${stack.name}: ${summarizeChanges(changes)}`)
      if (json) print(JSON.stringify({ stack: stack.name, changes }))
    },
  )

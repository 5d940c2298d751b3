import type { Command } from "commander"

import { localOptions, stackCommand, type LocalFlags } from "../../command-options.ts"
import { print } from "../../output.ts"

export function branchOpenCommand(): Command {
  return stackCommand("open", "previews")
    .argument("[branch]", "or a name as `branch list` prints it; default: the current branch")
    .description("print the address of a preview, and open it in the browser at a terminal")
    .action(
      async (
        name: string | undefined,
        { local = false, ...flags }: LocalFlags & { local?: boolean },
      ) => {
        const { describePreviews, expectKnown, listPreviews, namedPreview } =
          await import("../../branch/preview-stack.ts")
        const { currentBranch } = await import("../../branch/branch-name.ts")
        const { json, ...here } = localOptions(flags)
        const options = { ...here, local }
        const known = await listPreviews(options)
        const branch = name ?? currentBranch()
        const stack = namedPreview(branch, known)
        expectKnown(stack, known, branch)
        const summary = known.filter((one) => one.name === stack)
        for (const { url } of describePreviews(summary, options)) {
          print(json ? JSON.stringify({ stack, url }) : url)
          if (json || !process.stdout.isTTY) continue
          const { openBrowser } = await import("../../open-browser.ts")
          await openBrowser(url)
        }
      },
    )
}

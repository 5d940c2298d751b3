import { Command } from "commander"

import { Failure } from "../base/failure.ts"
import { withJson } from "./command-options.ts"
import { print, say } from "./output.ts"

type Flags = { base: string; directory?: string; json: boolean }

export const reviewCommand = withJson(new Command("review"))
  .description("say what this branch changes in which environment: offline, without keys")
  .option("--base <commit>", "what the branch is compared with", "main")
  .option("--directory <dir>", "judge the branch of another checkout, by the code of this one")
  .action(async ({ json, directory, ...flags }: Flags) => {
    const checkout = await import("../base/root.ts")
    const { review } = await import("./review/review.ts")
    const { isGood, rehearseNew } = await import("./review/verdict.ts")
    const { reviewText } = await import("./review/review-text.ts")
    const { readBaseUse: readUse } = await import("./rehearsal/base-commit.ts")
    const { openScratchAccount: openAccount } = await import("./rehearsal/rehearse-branch.ts")
    const { readRows } = await import("./rehearsal/given-rows.ts")
    const { untilInterrupted } = await import("./confirm.ts")
    const { openBranch } = await import("./review/branch-files.ts")
    using branch = directory === undefined ? undefined : openBranch(checkout.root, directory)
    const { root, base } = branch ?? { root: checkout.root, base: flags.base }
    const result = await review(root, base, branch ? { judge: branch.base } : {})
    const options = { root, base, rows: readRows(root), readUse, openAccount, say }
    const rehearsal = await untilInterrupted("Nothing was left behind.", (signal) =>
      rehearseNew(result.migrations, { ...options, signal }),
    )
    const reviewed = { ...result, rehearsal }
    print(json ? JSON.stringify(reviewed) : reviewText(reviewed))
    if (isGood(reviewed)) return
    throw new Failure("COMMAND_FAILED", "This branch cannot be merged as it is; see above.")
  })

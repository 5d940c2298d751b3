import { Command } from "commander"

import { Failure } from "../../failure.ts"
import { print } from "../output.ts"

export const reviewCommand = new Command("review")
  .description("say what this branch changes in which environment: offline, without keys")
  .option("--base <commit>", "what the branch is compared with", "main")
  .option("--json", "print one JSON document on stdout")
  .action(async ({ base, json = false }: { base: string; json?: boolean }) => {
    const { root } = await import("../../root.ts")
    const { isGood, review } = await import("../review/review.ts")
    const { reviewText } = await import("../review/review-text.ts")
    const reviewed = await review(root, base)
    print(json ? JSON.stringify(reviewed) : reviewText(reviewed))
    if (isGood(reviewed)) return
    throw new Failure("COMMAND_FAILED", "This branch cannot be merged as it is; see above.")
  })

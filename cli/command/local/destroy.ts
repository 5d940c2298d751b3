import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"
import { confirm } from "../../confirm.ts"
import { say } from "../../output.ts"

export const destroyCommand = localCommand("destroy")
  .description("delete the local Worker and its database")
  .option("--yes", "do not ask for confirmation")
  .action(async ({ yes = false, ...flags }: LocalFlags & { yes?: boolean }) => {
    await confirm(yes, "Delete the local Worker, its database and all its data?")
    const { openLocalStack } = await import("../../stack/local-stack.ts")
    const { destroy } = await import("../../stack/stack.ts")
    const { summarizeChanges } = await import("../../stack/change-summary.ts")
    await using local = await openLocalStack(localOptions(flags))
    say(summarizeChanges(await destroy(local.stack)))
  })

import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"
import { confirm } from "../../confirm.ts"

export const destroyCommand = localCommand("destroy")
  .description("delete the local Worker and its database")
  .option("--dry-run", "show what would be deleted, and delete nothing")
  .option("-y, --yes", "do not ask for confirmation")
  .action(
    async ({
      yes = false,
      dryRun = false,
      ...flags
    }: LocalFlags & { yes?: boolean; dryRun?: boolean }) => {
      const question = "Delete the local Worker, its database and all its data?"
      if (!dryRun) await confirm(yes, question)
      const { openLocalStack } = await import("../../stack/local-stack.ts")
      const { destroyOrPlan } = await import("../../stack/destroy-or-plan.ts")
      const { json, ...options } = localOptions(flags)
      await using local = await openLocalStack(options)
      await destroyOrPlan(local.stack, { dryRun, json })
    },
  )

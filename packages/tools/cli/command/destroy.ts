import { confirm, expectConfirmable } from "../confirm.ts"
import { print, say } from "../output.ts"
import { operationCommand, operationOptions, type OperationFlags } from "./operation-command.ts"

export const destroyStackCommand = operationCommand("destroy")
  .description("delete all of a stack, as `pulumi destroy` does where there is a language host")
  .option("--dry-run", "show what would be deleted, and delete nothing")
  .option("-y, --yes", "do not ask for confirmation")
  .action(
    async ({
      yes = false,
      dryRun = false,
      ...flags
    }: OperationFlags & { yes?: boolean; dryRun?: boolean }) => {
      const { name, json, site, operation } = operationOptions(flags)
      const question = `Delete all of ${name}, its database and all its data?`
      if (!dryRun) expectConfirmable(yes, question)
      const { openByName } = await import("../stack/open-by-name.ts")
      const { moveProviders } = await import("../stack/stored-state.ts")
      const { destroy, expectDeletable, planDestroy } = await import("../stack/stack.ts")
      const { summarizeChanges } = await import("../stack/progress.ts")
      await using opened = await openByName(name, site)
      const { stack } = opened
      if (!dryRun) {
        await confirm(yes, question)
        await moveProviders(opened)
        await expectDeletable(stack, operation)
      }
      const changes = await (dryRun ? planDestroy : destroy)(stack, operation)
      say(`${dryRun ? "Nothing was deleted. It would be: " : ""}${summarizeChanges(changes)}`)
      if (json) print(JSON.stringify({ stack: stack.name, changes, dryRun }))
    },
  )

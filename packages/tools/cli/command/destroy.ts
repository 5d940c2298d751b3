import { confirm, expectConfirmable } from "../confirm.ts"
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
      const { destroyOrPlan } = await import("../stack/destroy-or-plan.ts")
      const { moveProviders } = await import("../stack/stored-state.ts")
      await using opened = await openByName(name, site)
      if (!dryRun) await confirm(yes, question)
      if (!dryRun) await moveProviders(opened)
      await destroyOrPlan(opened.stack, { dryRun, json, operation })
    },
  )

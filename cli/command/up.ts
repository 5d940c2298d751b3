import { confirm, expectConfirmable } from "../confirm.ts"
import { print, say, table } from "../output.ts"
import { operationCommand, operationOptions, type OperationFlags } from "./operation-command.ts"

export const upCommand = operationCommand("up")
  .description("deploy a stack, as `pulumi up` does where there is a language host")
  .option("-y, --yes", "neither show the changes first nor ask for confirmation")
  .action(async ({ yes = false, ...flags }: OperationFlags & { yes?: boolean }) => {
    const { name, json, site, operation } = operationOptions(flags)
    const question = `Make these changes to ${name}?`
    expectConfirmable(yes, question)
    const { openByName } = await import("../stack/open-by-name.ts")
    const { plan, up } = await import("../stack/stack.ts")
    const { summarizeChanges } = await import("../stack/change-summary.ts")
    await using opened = await openByName(name, site)
    if (!yes) say(summarizeChanges(await plan(opened.stack, operation)))
    await confirm(yes, question)
    const { changes, outputs } = await up(opened.stack, operation)
    say(summarizeChanges(changes))
    if (json) return print(JSON.stringify({ stack: name, changes, outputs }))
    print(table(Object.entries(outputs).map(([key, value]) => [key, String(value)])))
  })

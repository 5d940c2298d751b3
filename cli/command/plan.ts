import { Failure } from "../../failure.ts"
import { print, say } from "../output.ts"
import { operationCommand, operationOptions, type OperationFlags } from "./operation-command.ts"

export const planCommand = operationCommand("plan")
  .description(
    "show what `up` would change, as `pulumi preview` does where there is a language host",
  )
  .option("--expect-no-changes", "exit with code 1 if there are changes")
  .action(async (flags: OperationFlags & { expectNoChanges?: boolean }) => {
    const { openByName } = await import("../stack/open-by-name.ts")
    const { plan } = await import("../stack/stack.ts")
    const { summarizeChanges } = await import("../stack/change-summary.ts")
    const { name, json, site, operation } = operationOptions(flags)
    await using opened = await openByName(name, site)
    const changes = await plan(opened.stack, operation)
    say(summarizeChanges(changes))
    if (json) print(JSON.stringify({ stack: name, changes }))
    const { same: _, ...made } = changes
    if (flags.expectNoChanges && Object.keys(made).length > 0) {
      throw new Failure("COMMAND_FAILED", `${name} has changes, and none were expected.`)
    }
  })

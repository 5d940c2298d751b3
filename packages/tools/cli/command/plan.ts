import { Failure } from "../../base/failure.ts"
import { paintFor, print } from "../output.ts"
import { operationCommand, operationOptions, type OperationFlags } from "./operation-command.ts"

type PlanFlags = OperationFlags & { expectNoChanges?: boolean; markdown?: boolean }

export const planCommand = operationCommand("plan")
  .description("say what `up` would change, in people's words and with a digest to approve")
  .option("--markdown", "for the summary of a run or a comment")
  .option("--expect-no-changes", "exit with code 1 if there are changes")
  .addHelpText(
    "after",
    "\nThe exit code is 0 for a plan with or without changes, 1 where `up` would refuse to begin.\n" +
      "`./accounts up --plan <digest>` makes exactly the changes that a plan says, or none.",
  )
  .action(async ({ expectNoChanges = false, markdown = false, ...flags }: PlanFlags) => {
    const { openByName } = await import("../stack/open-by-name.ts")
    const { readPlan } = await import("../plan/read-plan.ts")
    const { planInMarkdown, planText } = await import("../plan/plan-text.ts")
    const { name, json, site, operation } = operationOptions(flags)
    await using opened = await openByName(name, site)
    const plan = await readPlan(opened.stack, operation)
    if (json) print(JSON.stringify(plan))
    else print(markdown ? planInMarkdown(plan) : planText(plan, paintFor(process.stdout)))
    if (expectNoChanges && plan.changed) {
      throw new Failure("COMMAND_FAILED", `${name} has changes, and none were expected.`)
    }
  })

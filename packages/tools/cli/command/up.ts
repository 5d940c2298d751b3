import { Option } from "commander"

import { confirm, expectConfirmable } from "../confirm.ts"
import { paint, print, say, table } from "../output.ts"
import { operationCommand, operationOptions, type OperationFlags } from "./operation-command.ts"

type UpFlags = OperationFlags & { yes?: boolean; fresh?: boolean; plan?: string }

const freshOption = new Option(
  "--fresh",
  "empty the database first, and make it again; shows no changes; never in staging or production",
)

export const upCommand = operationCommand("up")
  .description("deploy a stack, as `pulumi up` does where there is a language host")
  .addOption(freshOption.conflicts("plan"))
  .option("-y, --yes", "neither show the changes first nor ask for confirmation")
  .option("--plan <digest>", "make the changes of this plan, and no others; asks nothing")
  .action(async ({ yes = false, fresh = false, plan: digest, ...flags }: UpFlags) => {
    const { name, json, site, operation } = operationOptions(flags)
    const question = fresh
      ? `Delete every row in the database of ${name}, and deploy it again?`
      : `Make these changes to ${name}?`
    const approved = yes || digest !== undefined
    expectConfirmable(approved, question)
    if (fresh) {
      const { readSite } = await import("../stack/deployed-stack.ts")
      const { refuseFresh } = await import("../database/fresh.ts")
      refuseFresh({ ...readSite(site), stack: name })
    }
    const { openByName } = await import("../stack/open-by-name.ts")
    const { freshen } = await import("../stack/hold.ts")
    const { nameWhatExists } = await import("../repair/name-what-exists.ts")
    const { expectDeployable, up } = await import("../stack/stack.ts")
    const { expectPlan, readPlan } = await import("../plan/read-plan.ts")
    const { planText } = await import("../plan/plan-text.ts")
    const { summarizeChanges } = await import("../stack/progress.ts")
    await using opened = await openByName(name, site)
    // A plan would compare with the rows that go.
    const showsPlan = !yes || digest !== undefined
    if (!fresh && showsPlan) {
      const plan = await readPlan(opened.stack, operation)
      say(planText(plan, paint))
      if (digest !== undefined) expectPlan(plan, digest)
    }
    if (!fresh && !showsPlan) await expectDeployable(opened.stack, operation)
    await confirm(approved, question)
    if (fresh) await freshen(opened, site)
    const { changes, outputs } = await nameWhatExists(opened, site, () =>
      up(opened.stack, operation),
    )
    say(summarizeChanges(changes))
    if (json) return print(JSON.stringify({ stack: name, changes, outputs }))
    print(table(Object.entries(outputs).map(([key, value]) => [key, String(value)])))
  })

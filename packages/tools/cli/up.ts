import { basename } from "node:path"

import { type Command, Option } from "commander"

import { Failure } from "../base/failure.ts"
import { stackCommand, type StackFlags, withConfirmation } from "./command-options.ts"
import { confirm, expectConfirmable } from "./confirm.ts"
import { paint, paintFor, print, say, table } from "./output.ts"

type OperationFlags = StackFlags & { diff: boolean }

/** A command that runs one of Pulumi's operations on a stack, with Pulumi's own options. */
function operationCommand(name: string): Command {
  return stackCommand(name).option("--diff", "show Pulumi's own detailed differences")
}

function operationOptions({ diff, json, ...site }: OperationFlags) {
  return { name: site.stack, json, site, operation: { diff, printed: new Set<string>() } }
}

/** Prints warnings about the services that the stack file names. */
async function sayOutbound({ stack, stackFile: path }: { stack: string; stackFile: string }) {
  const { outboundWarnings } = await import("../environment/check.ts")
  const label = basename(path)
  for (const warning of await outboundWarnings({ stack, path, label, template: false })) {
    say(`${paint.yellow("!")} ${warning}`)
  }
}

type PlanFlags = OperationFlags & { expectNoChanges: boolean; markdown: boolean }

export const planCommand = operationCommand("plan")
  .description("say what `up` would change, in people's words and with a digest to approve")
  .option("--markdown", "for the summary of a run or a comment")
  .option("--expect-no-changes", "exit with code 1 if there are changes")
  .addHelpText(
    "after",
    "\nThe exit code is 0 for a plan with or without changes, 1 where `up` would refuse to begin.\n" +
      "`./accounts up --plan <digest>` makes exactly the changes that a plan says, or none.",
  )
  .action(async ({ expectNoChanges, markdown, ...flags }: PlanFlags) => {
    const { openByName } = await import("./stack/open-by-name.ts")
    const { readPlan } = await import("./plan/plan.ts")
    const { planInMarkdown, planText } = await import("./plan/plan-text.ts")
    const { name, json, site, operation } = operationOptions(flags)
    await using opened = await openByName(name, site)
    const plan = await readPlan(opened.stack, operation)
    const place = { ...site, stack: name }
    if (json) print(JSON.stringify(plan))
    else if (markdown) print(planInMarkdown(plan, place))
    else print(planText(plan, paintFor(process.stdout), place))
    await sayOutbound(opened.project)
    if (expectNoChanges && plan.changed) {
      throw new Failure("COMMAND_FAILED", `${name} has changes, and none were expected.`)
    }
  })

type UpFlags = OperationFlags & {
  yes: boolean
  fresh: boolean
  plan?: string
  recreateDatabase?: string
}

const freshOption = new Option(
  "--fresh",
  "empty the database first, and make it again; shows no changes; never in staging or production",
)

export const upCommand = operationCommand("up")
  .description("deploy a stack, as `pulumi up` does where there is a language host")
  .addOption(freshOption.conflicts("plan"))
  .option("-y, --yes", "neither show the changes first nor ask for confirmation")
  .option("--plan <digest>", "make the changes of this plan, and no others; asks nothing")
  .option("--recreate-database <name>", "recreate a permanent database that is gone, empty")
  .action(async ({ yes, fresh, plan: digest, recreateDatabase, ...flags }: UpFlags) => {
    const { name, json, site, operation } = operationOptions(flags)
    const question = fresh
      ? `Delete every row in the database of ${name}, and deploy it again?`
      : `Make these changes to ${name}?`
    const approved = yes || digest !== undefined
    expectConfirmable(approved, question)
    if (fresh) {
      const { readSite } = await import("./stack/deployed-stack.ts")
      const { refuseFresh } = await import("./database/fresh.ts")
      refuseFresh({ ...readSite(site), stack: name })
    }
    const { openByName } = await import("./stack/open-by-name.ts")
    const { emptyStackDatabase } = await import("./stack/hold.ts")
    const { withUnmanagedReport } = await import("./repair/repair-state.ts")
    const { expectDeployable, up } = await import("./stack/stack.ts")
    const { expectDatabase, expectPlan, findLostDatabase, readPlan } =
      await import("./plan/plan.ts")
    const { planText } = await import("./plan/plan-text.ts")
    const { readSteps } = await import("./plan/step.ts")
    const { summarizeChanges } = await import("./stack/progress.ts")
    await using opened = await openByName(name, site)
    // With --fresh a plan would compare with rows that are deleted anyway.
    const showsPlan = !yes || digest !== undefined
    if (!fresh && showsPlan) {
      const plan = await readPlan(opened.stack, operation)
      say(planText(plan, paint, { ...site, stack: name }))
      if (digest !== undefined) expectPlan(plan, digest)
      expectDatabase(plan, { ...site, stack: name }, recreateDatabase)
    }
    if (!fresh && !showsPlan) {
      const events = await expectDeployable(opened.stack, operation)
      const lostDatabase = findLostDatabase(readSteps(events))
      expectDatabase({ lostDatabase }, { ...site, stack: name }, recreateDatabase)
    }
    await confirm(approved, question)
    if (fresh) await emptyStackDatabase(opened)
    const { changes, outputs } = await withUnmanagedReport(opened, site, () =>
      up(opened.stack, operation),
    )
    say(summarizeChanges(changes))
    await sayOutbound(opened.project)
    if (json) return print(JSON.stringify({ stack: name, changes, outputs }))
    print(table(Object.entries(outputs).map(([key, value]) => [key, String(value)])))
  })

export const destroyCommand = withConfirmation(
  operationCommand("destroy"),
  "show what would be deleted, and delete nothing",
)
  .description("delete all of a stack, as `pulumi destroy` does where there is a language host")
  .action(async ({ yes, dryRun, ...flags }: OperationFlags & { yes: boolean; dryRun: boolean }) => {
    const { name, json, site, operation } = operationOptions(flags)
    const question = `Delete all of ${name}, its database and all its data?`
    if (!dryRun) expectConfirmable(yes, question)
    const { openByName } = await import("./stack/open-by-name.ts")
    const { moveProviders } = await import("./stack/stored-state.ts")
    const { destroy, expectDeletable, planDestroy } = await import("./stack/stack.ts")
    const { summarizeChanges } = await import("./stack/progress.ts")
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
  })

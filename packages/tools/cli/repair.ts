import { stackCommand, type StackFlags } from "./command-options.ts"
import { confirm, expectConfirmable } from "./confirm.ts"
import { deployCommand, nextCommand } from "./local-options.ts"
import { paint, print, say } from "./output.ts"

type Confirmation = { dryRun: boolean; yes: boolean }
type Flags = StackFlags & Confirmation & { unlock: boolean; adopt: boolean }

const help = `
Without --adopt it removes the lock of a run that is gone, and takes in what a run of this stack has made without
writing it down. With it, the stack takes over what its state has not: the database and the Worker of its name, and
the host and the routes of its stack file that lead to that Worker. Nothing of the account changes. Anything that may
be another's is listed, and nothing is taken over then. The next \`up\` puts the Worker's settings as the stack file
has them, and releases a version of its own.
`

export const repairCommand = stackCommand("repair")
  .description("repair a stack that an interrupted run left behind, or take over what exists")
  .option("--unlock", "remove every lock, as no run of the stack is active anywhere")
  .option("--adopt", "take over the database, Worker, host and routes that exist")
  .option("--dry-run", "with --adopt: say what would be taken over, and change nothing")
  .option("-y, --yes", "with --adopt: do not ask for confirmation")
  .addHelpText("after", help)
  .action(async ({ unlock, adopt, dryRun, yes, ...flags }: Flags) => {
    if (adopt) return await takeOver(flags, { dryRun, yes })
    const { repairStack } = await import("./repair/repair.ts")
    const { stack, json, ...options } = flags
    const repaired = await repairStack(stack, { ...options, unlock })
    if (json) return print(JSON.stringify(repaired))
    if (repaired.locks + repaired.adopted.length + repaired.cleared.length === 0) {
      return say("Nothing to repair.")
    }
    say(`Repaired. Deploy it again: ${deployCommand({ ...options, stack })}`)
  })

async function takeOver({ stack, json, ...here }: StackFlags, { dryRun, yes }: Confirmation) {
  const question = `Take all of this into the state of ${stack}?`
  if (!dryRun) expectConfirmable(yes, question)
  const { openByName } = await import("./stack/open-by-name.ts")
  const { adopt, planAdoption } = await import("./repair/repair.ts")
  await using site = await openByName(stack, here)
  const plan = await planAdoption(site)
  const { missing, stays } = plan
  for (const { label } of missing) say(`  ${paint.green("=")} ${label}`)
  for (const { label } of stays) {
    say(paint.dim(`    ${label} leads to the Worker, too, and stays: the stack file has no such`))
  }
  const isComplete = missing.length === 0
  if (isComplete) say(`${stack} has in its state whatever the account has of it.`)
  if (!isComplete && !dryRun) await confirm(yes, question)
  const adopted = dryRun ? [] : await adopt(site, plan, here)
  const next = nextCommand("plan", { ...here, stack })
  if (!isComplete && !dryRun) say(`Taken over. See what \`up\` changes: ${next}`)
  const listed = (resources: typeof missing) =>
    resources.map(({ kind, id, label }) => ({ kind, id, label }))
  const report = { found: listed(missing), stays: listed(stays), adopted }
  if (json) print(JSON.stringify({ stack, dryRun, ...report }))
}

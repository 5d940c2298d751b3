import { stackCommand, type StackFlags, stackOptions } from "../command-options.ts"
import { confirm, expectConfirmable } from "../confirm.ts"
import { paint, print, say } from "../output.ts"

type Flags = StackFlags & { dryRun?: boolean; yes?: boolean }

const help = `
Takes into the stack's state what the account has of it: the database and the Worker of its name, and the
host and the routes of its stack file that lead to that Worker. Nothing of the account changes. Anything
that may be another's is listed, and nothing is taken over then. The next \`up\` puts the Worker's settings
as the stack file has them, and releases a version of its own.
`

export const adoptCommand = stackCommand("adopt")
  .description("take over the database, Worker, host and routes that exist")
  .option("--dry-run", "say what would be taken over, and change nothing")
  .option("-y, --yes", "do not ask for confirmation")
  .addHelpText("after", help)
  .action(async ({ dryRun = false, yes = false, ...flags }: Flags) => {
    const { stack, json, ...here } = stackOptions(flags)
    const question = `Take all of this into the state of ${stack}?`
    if (!dryRun) expectConfirmable(yes, question)
    const { openByName } = await import("../stack/open-by-name.ts")
    const { adopt, planAdoption } = await import("../repair/adopt.ts")
    await using site = await openByName(stack, here)
    const plan = await planAdoption(site)
    const { missing, stays } = plan
    for (const { label } of missing) say(`  ${paint.green("=")} ${label}`)
    for (const { label } of stays) {
      say(paint.dim(`    ${label} leads to the Worker, too, and stays: the stack file has no such`))
    }
    const none = missing.length === 0
    if (none) say(`${stack} has in its state whatever the account has of it.`)
    if (!none && !dryRun) await confirm(yes, question)
    const urns = dryRun ? [] : await adopt(site, plan, here)
    if (!none && !dryRun) say(`Taken over. See what \`up\` changes: ./accounts plan -s ${stack}`)
    const listed = (some: typeof missing) =>
      some.map(({ kind, id, label }) => ({ kind, id, label }))
    const found = { found: listed(missing), stays: listed(stays), adopted: urns }
    if (json) print(JSON.stringify({ stack, dryRun, ...found }))
  })

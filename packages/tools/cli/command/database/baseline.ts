import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"
import { confirm, expectConfirmable } from "../../confirm.ts"
import { print, say } from "../../output.ts"

const help = `
For a database that wrangler, drizzle-kit or somebody by hand has migrated. Its schema is compared with
what the files make, in SQLite on this machine; where both are the same, the ledger gets those files,
and nothing else of the database changes. Otherwise every difference is listed, and nothing is written.
Before the first deployment of a stack, the database is the one that its stack file names.
`

type Flags = StackFlags & { head?: string; dryRun?: boolean; yes?: boolean }

export const databaseBaselineCommand = stackCommand("baseline")
  .description("adopt a database that another tool migrated")
  .option("--head <file>", "the last file that it has, where the schema leaves a choice")
  .option("--dry-run", "say what would be recorded, and write nothing")
  .option("-y, --yes", "do not ask for confirmation")
  .addHelpText("after", help)
  .action(async ({ head, dryRun = false, yes = false, ...flags }: Flags) => {
    const { json, ...options } = stackOptions(flags)
    const { stack } = options
    const question = `Write the ledger of ${stack}?`
    if (!dryRun) expectConfirmable(yes, question)
    const { migrationsDirectory } = await import("../../../base/root.ts")
    const { readMigrations } = await import("../../../environment/own-names.ts")
    const { openDatabaseToAdopt } = await import("../../database/baseline/database-to-adopt.ts")
    const { holdByName } = await import("../../stack/hold.ts")
    const { planBaseline, writeBaseline } = await import("@accounts-stack/d1-migrations")
    const files = await readMigrations(migrationsDirectory)
    await using opened = await openDatabaseToAdopt(options)
    const { database } = opened
    const plan = await planBaseline(database, files, head)
    const { sql, ...planned } = plan
    const { adopted, classes, removed, pending } = planned
    say(`  the schema is that of ${adopted.at(-1)}`)
    for (const [file, kind] of Object.entries(classes)) {
      say(`    ${file}  ${kind ?? "class not known"}`)
    }
    if (removed.length > 0) say(`  goes from the ledger, as no file has it: ${removed.join(", ")}`)
    if (pending.length > 0) say(`  pending: ${pending.join(", ")}`)
    const done = sql === undefined
    if (done) say("The ledger says so already: nothing to write.")
    if (!done && !dryRun) {
      await confirm(yes, question)
      const message = "holds the stack while its ledger is written"
      await holdByName({ ...options, message }, (hold) =>
        writeBaseline({ database, files, head, expectAlone: () => hold.expect() }, plan),
      )
      say(`The ledger of ${stack} has ${adopted.join(", ")}.`)
    }
    if (json) print(JSON.stringify({ stack, ...planned, written: !done && !dryRun }))
  })

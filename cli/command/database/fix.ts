import { Command } from "commander"

import { print, say } from "../../output.ts"

const help = `
Only for a file that no database has applied yet. The files before it are found by their numbers.

Examples:
  ./accounts database fix migrations/0005_plans.sql
  ./accounts database fix change.sql --schema schema.sql
`

export const databaseFixCommand = new Command("fix")
  .argument("<file>", "a migration that is not applied yet")
  .description("rebuild tables in the form that keeps the rows of others on D1")
  .option("--schema <file>", "what the database is like before the file, as CREATE statements")
  .option("--json", "print one JSON document on stdout")
  .addHelpText("after", help)
  .action(async (file: string, { schema, json = false }: { schema?: string; json?: boolean }) => {
    const { fixFile } = await import("@accounts/d1-migrations")
    const { ownNames } = await import("../../../provider/migrations/own-names.ts")
    const changed = fixFile(file, schema, ownNames)
    if (json) print(JSON.stringify({ file, changed }))
    say(changed ? `${file} rebuilds with the keys moved away first.` : `${file} needs no change.`)
  })

import { Command } from "commander"

import { Failure } from "../../../base/failure.ts"
import { print } from "../../output.ts"

const help = `
A file is read together with the migrations before it, which it finds by their numbers:
0007_name.sql in the same folder, or 20260101_name/migration.sql beside the other folders.
Without them it cannot know what refers to a table, and errs on the safe side.

Exit code 0: keeps every row. 1: would lose rows, or fail on D1. 2: wrong usage.

Examples:
  ./accounts database lint migrations/*.sql
  ./accounts database lint ../shop/drizzle/0012_shiny_hulk.sql --json
  ./accounts database lint change.sql --schema schema.sql
`

export const databaseLintCommand = new Command("lint")
  .argument("<file...>", "migrations of this or of any other project")
  .description("say what SQL migrations would lose on D1, without a database")
  .option("--schema <file>", "what the database is like before the files, as CREATE statements")
  .option("--json", "print one JSON document on stdout")
  .addHelpText("after", help)
  .action(
    async (files: string[], { schema, json = false }: { schema?: string; json?: boolean }) => {
      const { describeReport, lintFiles } = await import("@accounts/d1-migrations")
      const { ownNames } = await import("../../../provider/migrations/own-names.ts")
      const reports = lintFiles(files, schema, ownNames)
      print(json ? JSON.stringify({ files: reports }) : describeReport(reports))
      const refused = reports.filter((report) => report.refused).map(({ file }) => file)
      if (refused.length === 0) return
      const message = `${refused.join(", ")} would lose rows or values, fail, or could not be judged.`
      throw new Failure("COMMAND_FAILED", message)
    },
  )

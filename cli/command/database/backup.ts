import { resolve } from "node:path"

import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"
import { print, say } from "../../output.ts"

const help = `
The file holds every row in plain text: e-mail addresses, password hashes, sessions. Only its owner
may read it. It is restored into a scratch database, compared table by table, and kept only if both
are the same; the scratch database is deleted. While D1 exports, the database answers nothing else.

Exit code 0: the file is there and brings everything back. 1: there is no file.

Examples:
  ./accounts database backup -s staging
  ./accounts database backup -s production --output /secure/production.sql --json
`

export const databaseBackupCommand = stackCommand("backup")
  .description("export a stack's database to a file, and prove that the file brings it back")
  .option("-o, --output <file>", "default: <stack>-<time>.sql; never overwritten")
  .addHelpText("after", help)
  .action(async ({ output, ...flags }: StackFlags & { output?: string }) => {
    const { json, ...options } = stackOptions(flags)
    const { openDeployedStack } = await import("../../stack/deployed-stack.ts")
    const { backUp } = await import("../../database/backup/backup.ts")
    const { describeBackup } = await import("../../database/backup/describe-backup.ts")
    const { untilInterrupted } = await import("../../interruption.ts")
    const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-")
    const file = resolve(output ?? `${options.stack}-${time}.sql`)
    await untilInterrupted("No file was written.", async (signal) => {
      await using deployed = await openDeployedStack(options)
      const backup = await backUp(deployed, {
        output: file,
        signal,
        say: (line) => say(`  ${line}`),
      })
      if (json) print(JSON.stringify({ stack: options.stack, ...backup }))
      else print(describeBackup(backup))
    })
  })

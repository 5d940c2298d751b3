import { resolve } from "node:path"

import { Failure } from "../../../base/failure.ts"
import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"
import { print, say } from "../../output.ts"

const help = `
The file holds every row in plain text: e-mail addresses, password hashes, sessions. Only its owner
may read it. It is restored into a scratch database, compared table by table, and kept only if both
are the same; the scratch database is deleted. While D1 exports, the database answers nothing else.

With --to it is encrypted on this machine for the keys of ACCOUNTS_BACKUPS_RECIPIENTS (age), stored
as <prefix>/<stack>/<time>.<database>.sql.age and read back. The bucket's key is in ACCOUNTS_BACKUPS_ACCESS_KEY_ID
and ACCOUNTS_BACKUPS_SECRET_ACCESS_KEY.

Exit code 0: the file is there and brings everything back. 1: there is no file.

Examples:
  ./accounts database backup -s staging
  ./accounts database backup -s production --output /secure/production.sql --json
  ./accounts database backup -s production --to 's3://backups?endpoint=<account>.r2.cloudflarestorage.com'
`

export const databaseBackupCommand = stackCommand("backup")
  .description("export a stack's database to a file, and prove that the file brings it back")
  .option("-o, --output <file>", "default: <stack>-<time>.sql; never overwritten")
  .option("--to <bucket>", "store it in a bucket instead, encrypted")
  .addHelpText("after", help)
  .action(async ({ output, to, ...flags }: StackFlags & { output?: string; to?: string }) => {
    if (output !== undefined && to !== undefined) {
      throw new Failure("USAGE", "Say where to: one of --output and --to.")
    }
    const { json, ...options } = stackOptions(flags)
    const { openDeployedStack } = await import("../../stack/deployed-stack.ts")
    const { backUp } = await import("../../database/backup/backup.ts")
    const { storeBackup } = await import("../../database/backup/stored-backup.ts")
    const { describeBackup } = await import("../../database/backup/describe-backup.ts")
    const { untilInterrupted } = await import("../../interruption.ts")
    const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-")
    const file = resolve(output ?? `${options.stack}-${time}.sql`)
    await untilInterrupted("The backup was not finished.", async (signal) => {
      await using deployed = await openDeployedStack(options)
      const common = { signal, say: (line: string) => say(`  ${line}`) }
      const backup =
        to === undefined
          ? await backUp(deployed, { output: file, ...common })
          : await storeBackup(deployed, { location: to, ...common })
      if (json) print(JSON.stringify({ stack: options.stack, ...backup }))
      else print(describeBackup(backup))
    })
  })

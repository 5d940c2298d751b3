import { Failure } from "../../../base/failure.ts"
import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"
import { print, say, table } from "../../output.ts"

const help = `
Ages are by the bucket's clock. --verify decrypts the newest with ACCOUNTS_BACKUPS_IDENTITY, restores it
into a scratch database, compares rows value by value and deletes that again: the stack is not touched.

Exit code 0: there are some, and the newest can be restored. 1: there are none, or it cannot.
`

type Flags = StackFlags & { from?: string; verify?: boolean }

export const databaseBackupsCommand = stackCommand("backups")
  .description("list a stack's backups in a bucket, or prove that the newest can be restored")
  .option("--from <bucket>", "s3://<bucket>/<prefix>?endpoint=…; default: ACCOUNTS_BACKUPS")
  .option("--verify", "restore the newest into a scratch database, and compare")
  .addHelpText("after", help)
  .action(async ({ from, verify = false, ...flags }: Flags) => {
    const { json, ...options } = stackOptions(flags)
    const location = from ?? process.env["ACCOUNTS_BACKUPS"]
    if (!location) throw new Failure("USAGE", "Say where: --from, or ACCOUNTS_BACKUPS.")
    const { listBackups, verifyBackup } = await import("../../database/backup/stored-backup.ts")
    if (!verify) {
      const backups = await listBackups(location, options)
      const rows = backups.map(({ url, at, bytes, age }): [string, string] => [
        url,
        `${at}, ${(age / 86_400_000).toFixed(1)} days, ${bytes} bytes`,
      ])
      print(json ? JSON.stringify(backups) : table(rows))
      if (backups.length > 0) return
      throw new Failure("COMMAND_FAILED", `There is no backup of ${options.stack} in ${location}.`)
    }
    const { openDeployedStack } = await import("../../stack/deployed-stack.ts")
    const { untilInterrupted } = await import("../../interruption.ts")
    await untilInterrupted("Nothing was proved.", async (signal) => {
      await using deployed = await openDeployedStack(options)
      const tell = (line: string) => say(`  ${line}`)
      const verified = await verifyBackup(deployed, { location, signal, say: tell })
      const rows = verified.tables.map(({ name, rows: count, now }): [string, string] => [
        name,
        `${count} restored, ${now ?? "no table"} now`,
      ])
      if (json) print(JSON.stringify(verified))
      else print(`${table(rows)}\n✓ ${verified.url} brings back every row.`)
    })
  })

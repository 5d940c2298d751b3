import { resolve } from "node:path"

import { Failure } from "../../../base/failure.ts"
import { stackCommand, type StackFlags, stackOptions } from "../../command-options.ts"
import { confirmByName, expectNamed } from "../../confirm.ts"
import { print, say } from "../../output.ts"

const help = `
First it stops the traffic: a version without the database answers every request with 503, the reason
and Retry-After. Then it says what would be lost, asks for the stack's name, restores, compares, and
releases the newest former version that fits the schema. If it is killed, run it again: it continues,
and --undo goes back to before it.

Examples:
  ./accounts database restore -s staging --to 2026-11-22T10:00:00Z
  ./accounts database restore -s staging --to 000001a2-02ead75d-bf64a813-7300f78deb814d3c53292ad0a1c746ab
  ./accounts database restore -s staging --file staging.sql --confirm staging

One in a bucket is decrypted with ACCOUNTS_BACKUPS_IDENTITY; \`database backups\` lists them.
`

type Flags = StackFlags & {
  to?: string
  file?: string
  undo?: boolean
  takeOver?: boolean
  confirm?: string
}

export const databaseRestoreCommand = stackCommand("restore")
  .description("bring a stack's database back to a moment, or to what a backup holds")
  .option("--to <moment>", "a bookmark, or a time in ISO 8601")
  .option(
    "--file <backup>",
    "what `database backup` or D1's export wrote, or s3://… of one in a bucket",
  )
  .option("--undo", "go back to before a restore that was interrupted")
  .option("--take-over", "continue or undo what a run on another machine has begun")
  .option("--confirm <name>", "the stack's name, instead of typing it")
  .addHelpText("after", help)
  .action(async ({ to, file, undo = false, takeOver = false, confirm: given, ...flags }: Flags) => {
    const { json, ...options } = stackOptions(flags)
    const { stack: name } = options
    if ([to, file, undo || undefined].filter((one) => one !== undefined).length !== 1) {
      throw new Failure("USAGE", "Say where to go: one of --to, --file and --undo.")
    }
    const named = { given, name, question: `Restore the database of ${name}?` }
    expectNamed(named)
    const { openDeployedStack } = await import("../../stack/deployed-stack.ts")
    const { holdByName } = await import("../../stack/hold.ts")
    const { restore, undoRestore } = await import("../../database/restore/restore.ts")
    const { fetchBackup } = await import("../../database/backup/stored-backup.ts")
    const { createPrivateFolder } = await import("../../process/private-folder.ts")
    const { targetOfFile, targetOfMoment } = await import("../../database/restore/target.ts")
    const { describeRestored } = await import("../../database/restore/describe-restored.ts")
    const { untilInterrupted } = await import("../../interruption.ts")
    await untilInterrupted(
      `database status -s ${name} says whether traffic is stopped.`,
      async (signal) => {
        await using files = new AsyncDisposableStack()
        const fetched = file?.startsWith("s3://")
          ? await fetchBackup(file, { folder: files.use(await createPrivateFolder()).path, signal })
          : file
        await using deployed = await openDeployedStack(options)
        const tell = (line: string) => say(`  ${line}`)
        const common = { signal, takeOver, patience: 120_000, say: tell }
        const message = "holds the stack while its database is restored"
        if (undo) {
          await confirmByName(named, signal)
          const versionId = await holdByName({ ...options, message }, (hold) =>
            undoRestore(deployed, { ...common, hold }),
          )
          say(`The database of ${name} is as before the restore, and version ${versionId} serves.`)
          if (json) print(JSON.stringify({ stack: name, undone: true, versionId }))
          return
        }
        const target =
          fetched === undefined
            ? await targetOfMoment(deployed, to ?? "")
            : await targetOfFile(deployed, resolve(fetched))
        const confirm = async (losses: string) => {
          say(`What the restore would change in ${name}:\n${losses}`)
          await confirmByName(named, signal)
        }
        const restored = await holdByName({ ...options, message }, (hold) =>
          restore(deployed, target, { ...common, hold, confirm }),
        )
        if (json) print(JSON.stringify(restored))
        else print(describeRestored(restored))
      },
    )
  })

import { relative, resolve } from "node:path"

import { fixCommand, lintCommand } from "@accounts-stack/d1-migrations/command"
import { Command } from "commander"

import { Failure } from "../base/failure.ts"
import { stackCommand, type StackFlags } from "./command-options.ts"
import { confirm, confirmByName, expectConfirmable, expectNamed } from "./confirm.ts"
import { nextCommand } from "./local-options.ts"
import { print, say, table } from "./output.ts"

const statusHelp = `
A pending file needs no attention: the next deployment applies it. It changes nothing.

Exit code 0: nothing needs attention. 1: something does, or the database cannot be asked.
`

const statusCommand = stackCommand("status")
  .description("compare a stack's database with the migrations, and with the version that serves")
  .addHelpText("after", statusHelp)
  .action(async ({ json, ...options }: StackFlags) => {
    const { migrationsDirectory } = await import("../base/root.ts")
    const { readMigrations } = await import("../environment/own-names.ts")
    const { openDeployedStack } = await import("./stack/deployed-stack.ts")
    const { describeStatus, readStatus } = await import("./database/status/status.ts")
    const files = await readMigrations(migrationsDirectory)
    await using deployed = await openDeployedStack(options)
    const status = await readStatus(deployed, files)
    print(json ? JSON.stringify(status) : describeStatus(status, options))
    const { length } = status.attention
    if (length === 0) return
    const things = length === 1 ? "One thing needs" : `${length} things need`
    throw new Failure("COMMAND_FAILED", `${things} attention in the database of ${options.stack}.`)
  })

const backupHelp = `
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

const backupCommand = stackCommand("backup")
  .description("export a stack's database to a file, and prove that the file brings it back")
  .option("-o, --output <file>", "default: <stack>-<time>.sql; never overwritten")
  .option("--to <bucket>", "store it in a bucket instead, encrypted")
  .addHelpText("after", backupHelp)
  .action(async ({ output, to, ...flags }: StackFlags & { output?: string; to?: string }) => {
    if (output !== undefined && to !== undefined) {
      throw new Failure("USAGE", "Say where to: one of --output and --to.")
    }
    const { json, ...options } = flags
    const { openDeployedStack } = await import("./stack/deployed-stack.ts")
    const { backUp, describeBackup } = await import("./database/backup/backup.ts")
    const { storeBackup } = await import("./database/backup/stored-backup.ts")
    const { untilInterrupted } = await import("./confirm.ts")
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

const backupsHelp = `
Ages are by the bucket's clock. --verify decrypts the newest with ACCOUNTS_BACKUPS_IDENTITY, restores it
into a scratch database, compares rows value by value and deletes that again: the stack is not touched.

Exit code 0: there are some, and the newest can be restored. 1: there are none, or it cannot.
`

type BackupsFlags = StackFlags & { from?: string; verify: boolean }

const backupsCommand = stackCommand("backups")
  .description("list a stack's backups in a bucket, or prove that the newest can be restored")
  .option("--from <bucket>", "s3://<bucket>/<prefix>?endpoint=…; default: ACCOUNTS_BACKUPS")
  .option("--verify", "restore the newest into a scratch database, and compare")
  .addHelpText("after", backupsHelp)
  .action(async ({ from, verify, json, ...options }: BackupsFlags) => {
    const location = from ?? process.env["ACCOUNTS_BACKUPS"]
    if (!location) throw new Failure("USAGE", "Say where: --from, or ACCOUNTS_BACKUPS.")
    const { listBackups, verifyBackup } = await import("./database/backup/stored-backup.ts")
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
    const { openDeployedStack } = await import("./stack/deployed-stack.ts")
    const { untilInterrupted } = await import("./confirm.ts")
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

const restoreHelp = `
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

type RestoreFlags = StackFlags & {
  to?: string
  file?: string
  undo: boolean
  takeOver: boolean
  confirm?: string
}

const restoreCommand = stackCommand("restore")
  .description("bring a stack's database back to a moment, or to what a backup holds")
  .option("--to <moment>", "a bookmark, or a time in ISO 8601")
  .option(
    "--file <backup>",
    "what `database backup` or D1's export wrote, or s3://… of one in a bucket",
  )
  .option("--undo", "go back to before a restore that was interrupted")
  .option("--take-over", "continue or undo what a run on another machine has begun")
  .option("--confirm <name>", "the stack's name, instead of typing it")
  .addHelpText("after", restoreHelp)
  .action(async ({ to, file, undo, takeOver, confirm: reply, json, ...options }: RestoreFlags) => {
    const { stack: name } = options
    if ([to, file, undo || undefined].filter((source) => source !== undefined).length !== 1) {
      throw new Failure("USAGE", "Say where to go: one of --to, --file and --undo.")
    }
    const request = { given: reply, name, question: `Restore the database of ${name}?` }
    expectNamed(request)
    const { openDeployedStack } = await import("./stack/deployed-stack.ts")
    const { withNamedStackLock } = await import("./stack/hold.ts")
    const { describeRestored, restore, undoRestore } = await import("./database/restore/restore.ts")
    const { fetchBackup } = await import("./database/backup/stored-backup.ts")
    const { createPrivateFolder } = await import("./process/local-process.ts")
    const { targetOfFile, restorePointTarget } = await import("./database/restore/target.ts")
    const { untilInterrupted } = await import("./confirm.ts")
    await untilInterrupted(
      `${nextCommand("database status", options)} says whether traffic is stopped.`,
      async (signal) => {
        await using files = new AsyncDisposableStack()
        const fetched = file?.startsWith("s3://")
          ? await fetchBackup(file, {
              folder: files.use(await createPrivateFolder()).path,
              signal,
            })
          : file
        await using deployed = await openDeployedStack(options)
        const tell = (line: string) => say(`  ${line}`)
        const common = { signal, takeOver, patience: 120_000, say: tell }
        const message = "holds the stack while its database is restored"
        if (undo) {
          await confirmByName(request, signal)
          const versionId = await withNamedStackLock({ ...options, message }, (hold) =>
            undoRestore(deployed, { ...common, hold }),
          )
          say(`The database of ${name} is as before the restore, and version ${versionId} serves.`)
          if (json) print(JSON.stringify({ stack: name, undone: true, versionId }))
          return
        }
        const target =
          fetched === undefined
            ? await restorePointTarget(deployed, to ?? "")
            : await targetOfFile(deployed, resolve(fetched))
        const agree = async (losses: string) => {
          say(`What the restore would change in ${name}:\n${losses}`)
          await confirmByName(request, signal)
        }
        const restored = await withNamedStackLock({ ...options, message }, (hold) =>
          restore(deployed, target, { ...common, hold, confirm: agree }),
        )
        if (json) print(JSON.stringify(restored))
        else print(describeRestored(restored, options))
      },
    )
  })

const baselineHelp = `
For a database that was migrated by wrangler, drizzle-kit or hand. Its schema is compared with
what the files make, in SQLite on this machine; where both are the same, the ledger gets those files,
and nothing else of the database changes. Otherwise every difference is listed, and nothing is written.
Before the first deployment of a stack, the database is the one that its stack file names.
`

type BaselineFlags = StackFlags & { head?: string; dryRun: boolean; yes: boolean }

const baselineCommand = stackCommand("baseline")
  .description("adopt a database that another tool migrated")
  .option("--head <file>", "the last file that it has, where the schema leaves a choice")
  .option("--dry-run", "say what would be recorded, and write nothing")
  .option("-y, --yes", "do not ask for confirmation")
  .addHelpText("after", baselineHelp)
  .action(async ({ head, dryRun, yes, json, ...options }: BaselineFlags) => {
    const { stack } = options
    const question = `Write the ledger of ${stack}?`
    if (!dryRun) expectConfirmable(yes, question)
    const { migrationsDirectory } = await import("../base/root.ts")
    const { readMigrations } = await import("../environment/own-names.ts")
    const { openDatabaseToAdopt } = await import("./database/d1-account.ts")
    const { withNamedStackLock } = await import("./stack/hold.ts")
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
    if (done) say("The ledger already has these files: nothing to write.")
    if (!done && !dryRun) {
      await confirm(yes, question)
      const message = "holds the stack while its ledger is written"
      await withNamedStackLock({ ...options, message }, (hold) =>
        writeBaseline({ database, files, head, expectAlone: () => hold.expect() }, plan),
      )
      say(`The ledger of ${stack} has ${adopted.join(", ")}.`)
    }
    if (json) print(JSON.stringify({ stack, ...planned, written: !done && !dryRun }))
  })

const rehearseHelp = `
The schema of the commit that the branch comes from is made in a local D1, with the rows of --rows, such
as a backup, or else those of infra/project.ts (rows). The branch's files are applied as a deployment
applies them while the version of that commit serves: a file that takes what it uses is refused.

Nothing leaves this machine, and no key is needed. Files that are not committed are rehearsed, too.

Exit code 0: no row is lost undeclared, and nothing that the previous version uses. 1: something is.
2: wrong usage, or the base is not in this clone.

Examples:
  ./accounts database rehearse
  ./accounts database rehearse --from origin/main --rows staging.sql
`

type RehearseFlags = { from: string; rows?: string; json: boolean }

const rehearseCommand = new Command("rehearse")
  .description("try this branch's migrations on a copy of rows, in a local D1")
  .option("--from <commit>", "the base: where the branch comes from", "main")
  .option("--rows <file>", "a script whose INSERT statements are the rows, such as a backup")
  .option("--json", "print one JSON document on stdout")
  .addHelpText("after", rehearseHelp)
  .action(async ({ from, rows: file, json }: RehearseFlags) => {
    const { root } = await import("../base/root.ts")
    const { readBaseCommit, readBaseUse: readUse } = await import("./rehearsal/base-commit.ts")
    const { openScratchAccount, rehearseBranch, toldOf } =
      await import("./rehearsal/rehearse-branch.ts")
    const { readRows } = await import("./rehearsal/given-rows.ts")
    const { problemsOf, rehearsalText } = await import("@accounts-stack/d1-migrations")
    const { untilInterrupted } = await import("./confirm.ts")
    const base = readBaseCommit(root, from)
    const rows = readRows(root, file)
    const options = { root, base, rows, readUse, openAccount: openScratchAccount, say }
    const rehearsal = await untilInterrupted("Nothing was left behind.", (signal) =>
      rehearseBranch({ ...options, signal }),
    )
    const problems = problemsOf(rehearsal)
    const text = () => rehearsalText(rehearsal, toldOf(rehearsal))
    print(json ? JSON.stringify({ ...rehearsal, problems }) : text())
    if (problems.length === 0) return
    throw new Failure("COMMAND_FAILED", "These migrations cannot be merged as they are; see above.")
  })

/** Makes `lint` and `fix` always use the migrations of this repository. */
const ownProgram = {
  command: "./accounts database",
  async projects() {
    const { migrationsDirectory } = await import("../base/root.ts")
    const { ownNames } = await import("../environment/own-names.ts")
    return [{ folder: { directory: relative("", migrationsDirectory) }, names: ownNames }]
  },
}

export const databaseGroup = new Command("database").description(
  "migrations and databases: what a file would lose, how it is written safely, and ways out",
)
const lint = lintCommand(ownProgram)
const fix = fixCommand(ownProgram)
for (const command of [
  statusCommand,
  backupCommand,
  backupsCommand,
  restoreCommand,
  baselineCommand,
  lint,
  fix,
  rehearseCommand,
]) {
  databaseGroup.addCommand(command)
}

import { Command, Option } from "commander"

import { applyMigrations, judgePending } from "../apply/apply.ts"
import { planBaseline, writeBaseline } from "../baseline/baseline.ts"
import { Failure } from "../failure.ts"
import { describeMigrations, readMigrationsStatus } from "../ledger/database-status.ts"
import { type DatabaseFlags, openProject, positionOf } from "./open-project.ts"
import { print, say } from "./output.ts"
import { projectOptions } from "./project-options.ts"

type Flags = DatabaseFlags & { json?: true }

const help = `
Database and account are read from wrangler's settings; if these name no account, it is read from
CLOUDFLARE_ACCOUNT_ID. The token is read from CLOUDFLARE_API_TOKEN.
`

function databaseCommand(name: string): Command {
  const api = new Option("--api <url>", "base URL of Cloudflare's API").env(
    "CLOUDFLARE_API_BASE_URL",
  )
  return projectOptions(new Command(name))
    .option("--database-id <id>", "the database, where the settings have no id")
    .addOption(api)
    .addOption(
      new Option("--local", "the database of wrangler on this machine").conflicts("databaseId"),
    )
    .option("--json", "print one JSON document on stdout")
    .addHelpText("after", help)
}

type ApplyFlags = Flags & { to?: string; dryRun?: true }

export const applyCommand = databaseCommand("apply")
  .description(
    "apply the pending files, each in one request with its guard and its row in the ledger",
  )
  .option("--to <file>", "the last file that is applied; all by default")
  .option("--dry-run", "judge the pending files on the database's schema, and send none")
  .action(async ({ json, to, dryRun, ...flags }: ApplyFlags) => {
    await using project = await openProject(flags)
    const { database, files: migrations } = project
    const before = new Set((await database.applied()).map(({ name }) => name))
    // Applied files stay in the list even if `to` names an earlier file.
    const count =
      to === undefined ? migrations.length : positionOf(migrations, to, project.project) + 1
    const files = migrations.slice(0, Math.max(count, before.size))
    if (dryRun) {
      const judged = await judgePending(database, files)
      if (json) print(JSON.stringify({ pending: judged }))
      for (const { name, class: kind, objections } of judged) {
        say([`${name}: ${kind}`, ...objections].join("\n  "))
      }
      if (judged.every(({ objections }) => objections.length === 0)) return
      throw new Failure("COMMAND_FAILED", "These files would be refused; see above.")
    }
    await applyMigrations({ database, files, log: { info: say, warn: say } })
    const applied = files.map(({ name }) => name).filter((name) => !before.has(name))
    if (json) print(JSON.stringify({ applied }))
  })

export const statusCommand = databaseCommand("status")
  .description("compare the database with the files; exit code 1 when something needs attention")
  .action(async ({ json, ...flags }: Flags) => {
    await using project = await openProject(flags)
    const { database, files } = project
    const status = await readMigrationsStatus(database, files)
    print(json ? JSON.stringify(status) : describeMigrations(status))
    if (status.attention.length === 0) return
    throw new Failure("COMMAND_FAILED", "Something needs attention; see above.")
  })

type BaselineFlags = Flags & { head?: string; dryRun?: boolean }

export const baselineCommand = databaseCommand("baseline")
  .description("record the files whose schema a database has that another tool migrated")
  .option("--head <file>", "the last file that it has, where the schema leaves a choice")
  .option("--dry-run", "say what would be recorded, and write nothing")
  .action(async ({ json, head, dryRun = false, ...flags }: BaselineFlags) => {
    await using project = await openProject(flags)
    const { database, files } = project
    const last = head && files[positionOf(files, head, project.project)]?.name
    const plan = await planBaseline(database, files, last)
    const { sql, ...planned } = plan
    const { adopted, removed, pending } = planned
    say(`The schema is that of ${adopted.at(-1)}.`)
    if (removed.length > 0) {
      say(`Removed from the ledger, as there is no such file: ${removed.join(", ")}`)
    }
    if (pending.length > 0) say(`Pending: ${pending.join(", ")}`)
    if (sql === undefined) say("The ledger already has these files: nothing to write.")
    const written = sql !== undefined && !dryRun
    if (written) await writeBaseline({ database, files, head: last }, plan)
    if (json) print(JSON.stringify({ ...planned, written }))
  })

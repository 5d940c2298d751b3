import { Command } from "commander"

import { counted } from "../base/counted.ts"
import { Failure, messageOf } from "../base/failure.ts"
import { branchCommand, type BranchFlags, wholeNumber } from "./command-options.ts"
import { confirm, expectConfirmable } from "./confirm.ts"
import type { StackChoice } from "./local-options.ts"
import { paint, print, printable, say } from "./output.ts"
import type { StackSummary } from "./stack/engine.ts"

type UpFlags = BranchFlags & { fresh: boolean; expires?: number }

const days = wholeNumber({ from: 1, to: 365, message: "A number of days from 1 to 365." })

const upCommand = branchCommand("up")
  .argument("[branch]", "the branch that is checked out, which is the default")
  .description("deploy the preview of a branch")
  .option("--fresh", "empty the preview's database first, and make it again")
  .option(
    "--expires <days>",
    "after so many days `branch sweep` deletes it, its branch or not",
    days,
  )
  .action(async (branch: string | undefined, upFlags: UpFlags) => {
    const { fresh, expires, json, ...options } = upFlags
    const { openPreview } = await import("./branch/down.ts")
    const { currentBranch, expectBranchName, expectCheckedOut } =
      await import("./branch/branch-name.ts")
    const { previewStackOf, previewTags } = await import("./branch/preview-stack.ts")
    const { emptyStackDatabase } = await import("./stack/hold.ts")
    const { withUnmanagedReport } = await import("./repair/repair-state.ts")
    const { readSubject } = await import("./repair/unmanaged-resources.ts")
    const { up } = await import("./stack/stack.ts")
    const { summarizeChanges } = await import("./stack/progress.ts")
    if (branch !== undefined) expectBranchName(branch)
    const name = branch ?? currentBranch()
    expectCheckedOut(name)
    const { checkDatabaseQuota, seedPreview } = await import("./branch/preview-resources.ts")
    if (!options.local) await checkDatabaseQuota(previewStackOf(name), options)
    await using preview = await openPreview(previewStackOf(name), options)
    const { stack, temporary } = preview
    const tags = previewTags(name, { expires })
    if (fresh) await emptyStackDatabase(preview)
    const { changes, outputs } = await withUnmanagedReport(preview, options, () =>
      up(stack, { tags }),
    )
    const { accountId } = readSubject(preview.project).environment
    const place = { api: preview.api, accountId, databaseId: String(outputs["databaseId"]) }
    const isSeeded = await seedPreview(place)
    const url = String(outputs["url"])
    say(`${summarizeChanges(changes)}${isSeeded ? "; ran environments/seed.sql" : ""}`)
    print(json ? JSON.stringify({ stack: stack.name, url, changes }) : `ready ${url}`)
    if (temporary) {
      say(paint.dim("  It answers while the local Cloudflare runs: `npm start` keeps it running."))
    }
  })

type Confirmation = { dryRun: boolean; yes: boolean }

const downCommand = branchCommand("down")
  .argument("[branch]", "or a name as `branch list` prints it; default: the current branch")
  .description("delete the preview of a branch, with its database")
  .option("--dry-run", "say what would be deleted, and delete nothing")
  .option("-y, --yes", "do not ask where no stack knows what the account has of it")
  .action(async (name: string | undefined, flags: BranchFlags & Confirmation) => {
    const { dryRun, yes, json, ...options } = flags
    const { planDown, planTearDown, tearDown } = await import("./branch/down.ts")
    const { openPreviewAccount } = await import("./branch/preview-resources.ts")
    const { listPreviews } = await import("./branch/preview-stack.ts")
    const { currentBranch } = await import("./branch/branch-name.ts")
    await using account = await openPreviewAccount(options)
    const stacks = () => listPreviews(options)
    const { stack, stored, lost } = await planDown(name, { ...account, stacks })
    if (lost) say(`No stack knows what the account has of ${stack}: ${lost}.`)
    const isDone = !stored && lost === undefined
    if (isDone) say(`Nothing to do: there is no preview of ${name ?? currentBranch()}.`)
    if (isDone || (lost && dryRun)) {
      if (json) print(JSON.stringify({ stack, changes: {}, lost, dryRun }))
      return
    }
    if (lost) await confirm(yes, "Delete it, with its database?")
    const { summarizeChanges } = await import("./stack/progress.ts")
    const act = dryRun ? planTearDown : tearDown
    const changes = await act(stack, { ...options, stored })
    say(`${dryRun ? "Would delete" : "Deleted"} ${stack}: ${summarizeChanges(changes)}`)
    if (json) print(JSON.stringify({ stack, changes, lost, dryRun }))
  })

const listCommand = branchCommand("list")
  .description("list the previews, with what their account says of them")
  .action(async ({ json, ...options }: BranchFlags) => {
    const { describePreviews, listPreviews } = await import("./branch/preview-stack.ts")
    const stacks = await listPreviews(options)
    const listed = await withAccount(stacks, options).catch((error: unknown) => {
      say(`What the account has of them is not known: ${messageOf(error)}`)
      return stacks
    })
    const previews = describePreviews<Listed>(listed, options)
    if (json) return print(JSON.stringify(previews))
    if (previews.length === 0) say("No previews.")
    for (const preview of previews) {
      const { name, branch = "-", url, lastUpdate = "never updated" } = preview
      print([name, branch, url, lastUpdate, ...facts(preview)].join("  "))
    }
  })

type Listed = StackSummary & {
  /** False if the account has the preview but the backend has no stack of it. */
  stored?: boolean
  created?: string | undefined
  expires?: string | undefined
  commit?: string | undefined
  owner?: string | undefined
  pullRequest?: string | undefined
  /** Bytes of the database. */
  size?: number | undefined
}

async function withAccount(stacks: StackSummary[], options: StackChoice): Promise<Listed[]> {
  const { openPreviewAccount } = await import("./branch/preview-resources.ts")
  const { mergePreviews } = await import("./branch/orphaned-previews.ts")
  const { tagIn } = await import("./branch/preview-stack.ts")
  await using account = await openPreviewAccount({ ...options, onlyRunning: true })
  const previews = mergePreviews(stacks, await account.resources())
  return await Promise.all(
    previews.map(async ({ resources = {}, ...preview }) => {
      const { tags, created_on } = resources.worker ?? {}
      return Object.assign(preview, {
        created: resources.database?.created_at ?? created_on,
        expires: tagIn(tags, "expires"),
        commit: tagIn(tags, "commit"),
        owner: tagIn(tags, "owner"),
        pullRequest: tagIn(tags, "pull-request"),
        size: await account.size(resources),
      })
    }),
  )
}

function facts({ stored, created, expires, commit, size }: Listed): string[] {
  const daysOld = created && Math.floor((Date.now() - Date.parse(created)) / 86_400_000)
  return [
    ...(stored === false ? ["no stack knows it: ./accounts branch down"] : []),
    ...(typeof daysOld !== "number" ? [] : [`${counted(daysOld, "day")} old`]),
    ...(expires ? [`expires ${expires}`] : []),
    ...(commit ? [`commit ${commit.replace(/^(\w{10})\w*/, "$1")}`] : []),
    ...(size === undefined ? [] : [`${Math.ceil(size / 1024)} KiB`]),
  ]
}

const mailCommand = branchCommand("mail")
  .argument("[branch]", "or a name as `branch list` prints it; default: the current branch")
  .description("show the e-mails that a preview keeps (accounts:keepMail), the newest last")
  .action(async (name: string | undefined, { json, ...options }: BranchFlags) => {
    const { currentBranch } = await import("./branch/branch-name.ts")
    const { openPreviewAccount } = await import("./branch/preview-resources.ts")
    const { namedPreview } = await import("./branch/preview-stack.ts")
    await using account = await openPreviewAccount(options)
    const resourcesByStack = await account.resources()
    const stacks = Array.from(resourcesByStack.keys(), (stackName) => ({ name: stackName }))
    const emails = await account.emails(resourcesByStack.get(namedPreview(name, stacks)))
    if (emails === undefined) {
      throw new Failure(
        "COMMAND_FAILED",
        `The account has no preview of ${name ?? currentBranch()}.`,
      )
    }
    if (json) return print(JSON.stringify(emails))
    if (emails.length === 0) say("It keeps no e-mail: accounts:keepMail in its template does.")
    for (const { at, to, subject, text } of emails) {
      print([`${at}  to ${to}: ${subject}`, "", ...text.split("\n"), ""].map(printable).join("\n"))
    }
  })

type SweepFlags = BranchFlags & Confirmation & { remote: string; days: number }

const age = wholeNumber({ from: 0, to: 3650, message: "A number of days from 0 to 3650." })

const sweepCommand = branchCommand("sweep")
  .description("delete the previews of branches that no longer exist")
  .option("--remote <name>", "git remote whose branches count; with --local this clone's", "origin")
  .option("--days <number>", "keep those that were updated within so many days", age, 1)
  .option("--dry-run", "list them, and delete nothing")
  .option("-y, --yes", "do not ask for confirmation")
  .action(async ({ remote, days: idleDays, dryRun, yes, json, ...options }: SweepFlags) => {
    const question = "Delete the previews of branches that no longer exist, with their databases?"
    if (!dryRun) expectConfirmable(yes, question)
    const { planSweep, sweep } = await import("./branch/orphaned-previews.ts")
    const { openSweepContext } = await import("./branch/down.ts")
    await using context = await openSweepContext({ ...options, remote })
    const plan = await planSweep(context, { days: idleDays })
    for (const { stack, reason } of plan.retained) say(`Kept ${stack}: ${reason}.`)
    for (const { stack, reason } of plan.orphaned) say(`${stack}: ${reason}.`)
    const stacksToDelete = plan.orphaned.map(({ stack }) => stack)
    if (stacksToDelete.length === 0) say("Nothing to delete.")
    else if (!dryRun) await confirm(yes, question)
    const stacks = dryRun ? [] : stacksToDelete
    const { deleted, failed } = await sweep(context, { stacks, days: idleDays, say })
    const lists = { gone: stacksToDelete, kept: plan.retained, deleted, failed }
    if (json) print(JSON.stringify({ ...lists, dryRun }))
    if (failed.length === 0) return
    throw new Failure("COMMAND_FAILED", `Not deleted: ${failed.join(", ")}. See above.`)
  })

export const branchGroup = new Command("branch")
  .description("previews: one environment per branch")
  .addCommand(upCommand)
  .addCommand(downCommand)
  .addCommand(listCommand)
  .addCommand(mailCommand)
  .addCommand(sweepCommand)

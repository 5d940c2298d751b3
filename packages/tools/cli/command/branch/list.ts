import type { Command } from "commander"

import { counted } from "../../../base/counted.ts"
import { messageOf } from "../../../base/failure.ts"
import { branchCommand, type BranchFlags, branchOptions } from "../../command-options.ts"
import type { StackChoice } from "../../local-options.ts"
import { print, say } from "../../output.ts"
import type { StackSummary } from "../../stack/engine.ts"

export function branchListCommand(): Command {
  return branchCommand("list")
    .description("list the previews, with what their account says of them")
    .action(async (flags: BranchFlags) => {
      const { describePreviews, listPreviews } = await import("../../branch/preview-stack.ts")
      const { json, ...options } = branchOptions(flags)
      const stacks = await listPreviews(options)
      const found = await withAccount(stacks, options).catch((error: unknown) => {
        say(`What the account has of them is not known: ${messageOf(error)}`)
        return stacks
      })
      const previews = describePreviews<Listed>(found, options)
      if (json) return print(JSON.stringify(previews))
      if (previews.length === 0) say("No previews.")
      for (const preview of previews) {
        const { name, branch = "-", url, lastUpdate = "never updated" } = preview
        print([name, branch, url, lastUpdate, ...facts(preview)].join("  "))
      }
    })
}

type Listed = StackSummary & {
  /** False where the backend has no stack of what the account has. */
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
  const { openPreviewAccount } = await import("../../branch/held-previews.ts")
  const { joinPreviews } = await import("../../branch/gone-branches.ts")
  const { tagIn } = await import("../../branch/preview-tags.ts")
  await using account = await openPreviewAccount({ ...options, onlyRunning: true })
  const previews = joinPreviews(stacks, await account.held())
  return await Promise.all(
    previews.map(async ({ held = {}, ...preview }) => {
      const { tags, created_on } = held.worker ?? {}
      return Object.assign(preview, {
        created: held.database?.created_at ?? created_on,
        expires: tagIn(tags, "expires"),
        commit: tagIn(tags, "commit"),
        owner: tagIn(tags, "owner"),
        pullRequest: tagIn(tags, "pull-request"),
        size: await account.size(held),
      })
    }),
  )
}

function facts({ stored, created, expires, commit, size }: Listed): string[] {
  const days = created && Math.floor((Date.now() - Date.parse(created)) / 86_400_000)
  return [
    ...(stored === false ? ["no stack knows it: ./accounts branch down"] : []),
    ...(typeof days !== "number" ? [] : [`${counted(days, "day")} old`]),
    ...(expires ? [`expires ${expires}`] : []),
    ...(commit ? [`commit ${commit.replace(/^(\w{10})\w*/, "$1")}`] : []),
    ...(size === undefined ? [] : [`${Math.ceil(size / 1024)} KiB`]),
  ]
}

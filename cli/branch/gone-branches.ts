import { Failure, messageOf } from "../../base/failure.ts"
import type { StackSummary } from "../stack/backend.ts"
import { knownBranches, remoteBranches } from "./branch-name.ts"
import { previewStackOf } from "./preview-stack.ts"

export type Sweep = {
  /** Stacks of previews whose branch is gone. */
  gone: string[]
  /** Such stacks that stay, with the reason. */
  kept: { stack: string; reason: string }[]
}

const day = 24 * 60 * 60 * 1000

/**
 * The previews whose branch does not exist. A branch may be pushed after its first preview, so one
 * that was updated within `days` stays, and one that is being updated always does.
 */
export function findGone(
  previews: StackSummary[],
  { branches, days, now = new Date() }: { branches: string[]; days: number; now?: Date },
): Sweep {
  const living = new Set(branches.map(previewStackOf))
  const found: Sweep = { gone: [], kept: [] }
  for (const { name, lastUpdate, updateInProgress } of previews) {
    if (living.has(name)) continue
    const age = lastUpdate === undefined ? Infinity : now.getTime() - Date.parse(lastUpdate)
    if (updateInProgress) found.kept.push({ stack: name, reason: "it is being updated" })
    else if (age < days * day) found.kept.push({ stack: name, reason: `updated ${lastUpdate}` })
    else found.gone.push(name)
  }
  return found
}

/**
 * The branches that exist: for previews at Cloudflare those of the remote, by asking it; for those
 * of this machine those that this clone knows.
 * @param remote name or URL of a git remote
 * @throws Failure if there is none, or they cannot be read: every preview would seem left over
 */
export function existingBranches({ local, remote }: { local: boolean; remote: string }): string[] {
  const branches = local ? knownBranches() : readBranches(remote)
  if (branches.length > 0) return branches
  throw new Failure(
    "COMMAND_FAILED",
    `${local ? "This clone" : `The remote ${remote}`} has no branch at all, so every preview would be deleted. Nothing was changed.`,
  )
}

function readBranches(remote: string): string[] {
  try {
    return remoteBranches(remote)
  } catch (cause) {
    throw new Failure(
      "COMMAND_FAILED",
      `The branches of ${remote} cannot be read, so no preview is deleted. Name another remote with --remote.\n${messageOf(cause)}`,
      { cause },
    )
  }
}

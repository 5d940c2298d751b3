import { problemsOf, rehearsalMarkdown } from "@accounts-stack/d1-migrations"

import { messageOf } from "../../base/failure.ts"
import { code } from "../../documents/markdown-text.ts"
import { readBaseCommit } from "../rehearsal/base-commit.ts"
import {
  type BranchRehearsal,
  type Rehearsing,
  rehearseBranch,
  toldOf,
} from "../rehearsal/rehearse-branch.ts"

/** A rehearsal of the branch's migrations, or why there is none. */
export type ReviewRehearsal = { rehearsal: BranchRehearsal } | { failure: string }

/**
 * Undefined where no migration is new. An edited or removed one is refused without a rehearsal.
 * @param migrations what the branch does to which file
 */
export async function rehearseNew(
  migrations: { kind: string }[],
  options: Omit<Rehearsing, "base"> & { base: string },
): Promise<ReviewRehearsal | undefined> {
  const spoilt = migrations.some(({ kind }) => kind === "edited" || kind === "removed")
  if (migrations.length === 0 || spoilt) return undefined
  try {
    const base = readBaseCommit(options.root, options.base, "--base")
    return { rehearsal: await rehearseBranch({ ...options, base }) }
  } catch (error) {
    options.signal.throwIfAborted()
    // The reader needs the rest of the review all the same.
    return { failure: messageOf(error) }
  }
}

/** Without the objections to its files, which stand beside them. */
export function rehearsalText(rehearsed: ReviewRehearsal, objections: string[]): string {
  if ("failure" in rehearsed) return `Not rehearsed: ${code(rehearsed.failure)}`
  const told = toldOf(rehearsed.rehearsal)
  const problems = told.problems.filter((one) => !objections.some((said) => one.startsWith(said)))
  return rehearsalMarkdown(rehearsed.rehearsal, { ...told, problems })
}

export function rehearsalProblems(rehearsed: ReviewRehearsal): string[] {
  return "failure" in rehearsed
    ? [`its migrations were not rehearsed: ${rehearsed.failure}`]
    : problemsOf(rehearsed.rehearsal)
}

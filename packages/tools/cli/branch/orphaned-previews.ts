import { Failure, messageOf } from "../../base/failure.ts"
import type { StackSummary } from "../stack/engine.ts"
import { knownBranches, remoteBranches } from "./branch-name.ts"
import { changedAt, describeResources, type PreviewResources } from "./preview-resources.ts"
import { previewStackOf, tagIn } from "./preview-stack.ts"

/** A preview: a stack of the backend, what the account has under its name, or both. */
export type FoundPreview = StackSummary & {
  /** Whether the backend has its stack. */
  stored: boolean
  /** Undefined if the account has no resources of it. */
  resources?: PreviewResources | undefined
}

type Named = { stack: string; reason: string }

export type Sweep = {
  /** Previews whose branch is gone. */
  orphaned: Named[]
  /** Previews without a branch that stay. */
  retained: Named[]
}

const day = 24 * 60 * 60 * 1000

/** Every preview once: by the backend, by the account, or by both. */
export function mergePreviews(
  stacks: StackSummary[],
  resourcesByStack: Map<string, PreviewResources>,
): FoundPreview[] {
  const stored = stacks.map((stack) => ({
    ...stack,
    stored: true,
    resources: resourcesByStack.get(stack.name),
  }))
  const unstored = [...resourcesByStack].filter(
    ([name]) => !stacks.some((stack) => stack.name === name),
  )
  return [...stored, ...unstored.map(([name, resources]) => ({ name, stored: false, resources }))]
}

/**
 * The previews whose branch does not exist, and those that have expired. A branch may be pushed after its first preview, so one
 * that was updated within `days` stays, and one that is being updated always does.
 */
export function findOrphanedPreviews(
  previews: FoundPreview[],
  { branches, days, now = new Date() }: { branches: string[]; days: number; now?: Date },
): Sweep {
  const living = new Set(branches.map(previewStackOf))
  const choice: Sweep = { orphaned: [], retained: [] }
  for (const { name: stack, lastUpdate, updateInProgress, stored, resources } of previews) {
    const expiry = tagIn(resources?.worker?.tags, "expires")
    const isExpired = expiry !== undefined && expiry < now.toISOString().slice(0, 10)
    if (living.has(stack) && !isExpired) continue
    const times = [lastUpdate, resources && changedAt(resources)].filter(
      (time) => time !== undefined,
    )
    const [latest] = times.toSorted((a, b) => Date.parse(b) - Date.parse(a))
    const age = latest === undefined ? Infinity : now.getTime() - Date.parse(latest)
    if (updateInProgress) choice.retained.push({ stack, reason: "it is being updated" })
    else if (age < days * day) choice.retained.push({ stack, reason: `updated ${latest}` })
    else if (living.has(stack)) choice.orphaned.push({ stack, reason: `it expired on ${expiry}` })
    else choice.orphaned.push({ stack, reason: describeOrphan(stored, resources) })
  }
  return choice
}

function describeOrphan(stored: boolean, resources: PreviewResources | undefined): string {
  if (stored || resources === undefined) return "its branch is gone"
  return `its branch is gone, and no stack knows what the account has of it: ${describeResources(resources)}`
}

/** The reads and calls of a sweep, each made again when it is needed. */
export type SweepContext = {
  branches: () => string[]
  previews: () => Promise<FoundPreview[]>
  /** The reason why resources that no stack knows may belong to someone else. */
  doubt: (resources: PreviewResources) => Promise<string | undefined>
  tearDown: (stack: string) => Promise<unknown>
}

type Choice = { days: number; now?: Date; only?: string }

/** Plans what to delete, and what to leave although its branch is gone. */
export async function planSweep(
  context: SweepContext,
  { only, ...choice }: Choice,
): Promise<Sweep> {
  // First, so that a branch which is pushed meanwhile and deployed at once is not taken for gone.
  const previews = await context.previews()
  const selected = previews.filter(({ name }) => only === undefined || name === only)
  const { orphaned, retained } = findOrphanedPreviews(selected, {
    ...choice,
    branches: context.branches(),
  })
  const plan: Sweep = { orphaned: [], retained }
  for (const orphan of orphaned) {
    const { stored, resources } = selected.find(({ name }) => name === orphan.stack) ?? {}
    const doubt = stored || resources === undefined ? undefined : await context.doubt(resources)
    const reason = `${doubt}, so it may belong to someone else`
    if (doubt === undefined) plan.orphaned.push(orphan)
    else retained.push({ stack: orphan.stack, reason })
  }
  return plan
}

/**
 * Deletes one after the other; a failure does not keep the others from being deleted. Each is checked again
 * right before: its branch may be back, or it may have been deployed.
 */
export async function sweep(
  context: SweepContext,
  {
    stacks,
    say,
    ...choice
  }: Omit<Choice, "only"> & { stacks: string[]; say: (text: string) => void },
) {
  const done = { deleted: new Array<string>(), failed: new Array<string>() }
  for (const stack of stacks) {
    try {
      const { orphaned, retained } = await planSweep(context, { ...choice, only: stack })
      if (orphaned.length === 0) {
        say(`Kept ${stack}: ${retained[0]?.reason ?? "it is no longer orphaned"}.`)
        continue
      }
      await context.tearDown(stack)
      done.deleted.push(stack)
      say(`Deleted ${stack}.`)
    } catch (error) {
      done.failed.push(stack)
      say(messageOf(error))
    }
  }
  return done
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

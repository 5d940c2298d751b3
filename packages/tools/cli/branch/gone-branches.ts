import { Failure, messageOf } from "../../base/failure.ts"
import type { StackSummary } from "../stack/engine.ts"
import { knownBranches, remoteBranches } from "./branch-name.ts"
import { changedAt, describeResources, type PreviewResources } from "./held-previews.ts"
import { previewStackOf, tagIn } from "./preview-stack.ts"

/** A preview: a stack of the backend, what the account has under its name, or both. */
export type FoundPreview = StackSummary & {
  /** Whether the backend has its stack. */
  stored: boolean
  /** Undefined if the account has no resources of it. */
  held?: PreviewResources | undefined
}

type Named = { stack: string; reason: string }

export type Sweep = {
  /** Previews whose branch is gone. */
  gone: Named[]
  /** Previews without a branch that stay. */
  kept: Named[]
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
    held: resourcesByStack.get(stack.name),
  }))
  const unstored = [...resourcesByStack].filter(
    ([name]) => !stacks.some((stack) => stack.name === name),
  )
  return [
    ...stored,
    ...unstored.map(([name, resources]) => ({ name, stored: false, held: resources })),
  ]
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
  const choice: Sweep = { gone: [], kept: [] }
  for (const { name: stack, lastUpdate, updateInProgress, stored, held } of previews) {
    const expiry = tagIn(held?.worker?.tags, "expires")
    const isExpired = expiry !== undefined && expiry < now.toISOString().slice(0, 10)
    if (living.has(stack) && !isExpired) continue
    const times = [lastUpdate, held && changedAt(held)].filter((time) => time !== undefined)
    const [latest] = times.toSorted((a, b) => Date.parse(b) - Date.parse(a))
    const age = latest === undefined ? Infinity : now.getTime() - Date.parse(latest)
    if (updateInProgress) choice.kept.push({ stack, reason: "it is being updated" })
    else if (age < days * day) choice.kept.push({ stack, reason: `updated ${latest}` })
    else if (living.has(stack)) choice.gone.push({ stack, reason: `it expired on ${expiry}` })
    else choice.gone.push({ stack, reason: describeGone(stored, held) })
  }
  return choice
}

function describeGone(stored: boolean, resources: PreviewResources | undefined): string {
  if (stored || resources === undefined) return "its branch is gone"
  return `its branch is gone, and no stack knows what the account has of it: ${describeResources(resources)}`
}

/** The reads and calls of a sweep, each made again when it is needed. */
export type SweepContext = {
  branches: () => string[]
  previews: () => Promise<FoundPreview[]>
  /** The reason why resources that no stack knows may belong to someone else. */
  doubt: (held: PreviewResources) => Promise<string | undefined>
  tearDown: (stack: string) => Promise<unknown>
}

type Choice = { days: number; now?: Date; only?: string }

/** Plans what to delete, and what to leave although its branch is gone. */
export async function planSweep(world: SweepContext, { only, ...choice }: Choice): Promise<Sweep> {
  // First, so that a branch which is pushed meanwhile and deployed at once is not taken for gone.
  const previews = await world.previews()
  const selected = previews.filter(({ name }) => only === undefined || name === only)
  const { gone, kept } = findOrphanedPreviews(selected, { ...choice, branches: world.branches() })
  const plan: Sweep = { gone: [], kept }
  for (const orphan of gone) {
    const { stored, held } = selected.find(({ name }) => name === orphan.stack) ?? {}
    const doubt = stored || held === undefined ? undefined : await world.doubt(held)
    if (doubt === undefined) plan.gone.push(orphan)
    else kept.push({ stack: orphan.stack, reason: `${doubt}, so it may belong to someone else` })
  }
  return plan
}

/**
 * Deletes one after the other; a failure does not keep the others from being deleted. Each is checked again
 * right before: its branch may be back, or it may have been deployed.
 */
export async function sweep(
  world: SweepContext,
  {
    stacks,
    say,
    ...choice
  }: Omit<Choice, "only"> & { stacks: string[]; say: (text: string) => void },
) {
  const done = { deleted: new Array<string>(), failed: new Array<string>() }
  for (const stack of stacks) {
    try {
      const { gone, kept } = await planSweep(world, { ...choice, only: stack })
      if (gone.length === 0) {
        say(`Kept ${stack}: ${kept[0]?.reason ?? "it is not gone any more"}.`)
        continue
      }
      await world.tearDown(stack)
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

import { Failure, messageOf } from "../../base/failure.ts"
import type { StackSummary } from "../stack/engine.ts"
import { knownBranches, remoteBranches } from "./branch-name.ts"
import { changedAt, describeResources, type PreviewResources } from "./preview-resources.ts"
import { previewStackOf, tagIn } from "./preview-stack.ts"

/** A preview: a stack of the backend, resources of the account under its name, or both. */
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

/** Merges the previews of the backend and of the account, each once. */
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
 * Finds previews whose branch does not exist, and expired previews. A preview that was updated within `days` is
 * kept, because its branch may not be pushed yet. A preview with an update in progress is always kept.
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

/** The queries and actions of a sweep. Each query reads the current state. */
export type SweepContext = {
  branches: () => string[]
  previews: () => Promise<FoundPreview[]>
  /** Returns why resources without a stack may belong to someone else; undefined if nothing suggests it. */
  doubt: (resources: PreviewResources) => Promise<string | undefined>
  tearDown: (stack: string) => Promise<unknown>
}

type Choice = { days: number; now?: Date; only?: string }

/** Plans which previews to delete, and which to keep although their branch is gone. */
export async function planSweep(
  context: SweepContext,
  { only, ...choice }: Choice,
): Promise<Sweep> {
  // Previews are read before branches: otherwise a branch that is pushed and deployed meanwhile would seem gone.
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
 * Deletes previews one after the other, even if one fails. Checks each again right before, because its branch
 * may exist again or it may have been deployed.
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
 * Lists the existing branches: the remote's for previews at Cloudflare, this clone's for previews on this
 * machine.
 * @param remote name or URL of a git remote
 * @throws Failure if there is no branch or they cannot be read: every preview would seem orphaned
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

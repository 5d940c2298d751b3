import { rmSync } from "node:fs"

import { Failure } from "../../base/failure.ts"
import { undefinedIfNotFound } from "../../deploy/api.ts"
import type { StackChoice } from "../local-options.ts"
import { say } from "../output.ts"
import { repairLocalStack } from "../repair/repair.ts"
import {
  findLeftovers,
  type UnmanagedResource,
  readSubject,
} from "../repair/unmanaged-resources.ts"
import type { StackSummary } from "../stack/engine.ts"
import { withStackLock } from "../stack/hold.ts"
import { openLocalStack } from "../stack/local-stack.ts"
import { type RemoteStack, openRemotePreview } from "../stack/open-by-name.ts"
import { destroy, planDestroy, type Changes } from "../stack/stack.ts"
import { moveProviders } from "../stack/stored-state.ts"
import { type SweepContext, existingBranches, mergePreviews } from "./orphaned-previews.ts"
import {
  describeResources,
  findPreviewDoubt,
  type PreviewResources,
  openPreviewAccount,
} from "./preview-resources.ts"
import { hasStack, namedPreview, fillIn, previewTemplate, listPreviews } from "./preview-stack.ts"

type Sources = Pick<SweepContext, "doubt"> & {
  stacks: () => Promise<StackSummary[]>
  resources: () => Promise<Map<string, PreviewResources>>
}

/**
 * Finds what `down` deletes, for a name or the current branch: the stack, otherwise the preview's resources
 * in the account, otherwise nothing.
 * @throws Failure if the resources may belong to someone else
 */
export async function planDown(
  name: string | undefined,
  { stacks, resources, doubt }: Sources,
): Promise<{ stack: string; stored: boolean; lost?: string }> {
  const summaries = await stacks()
  const stack = namedPreview(name, summaries)
  if (hasStack(summaries, stack)) return { stack, stored: true }
  const resourcesByStack = await resources()
  const stackName = namedPreview(
    name,
    Array.from(resourcesByStack.keys(), (key) => ({ name: key })),
  )
  const lostResources = resourcesByStack.get(stackName)
  if (lostResources === undefined) return { stack, stored: false }
  const lost = describeResources(lostResources)
  const reason = await doubt(lostResources)
  if (reason === undefined) return { stack: stackName, stored: false, lost }
  const message = `No stack knows ${lost}, and ${reason}: it may belong to someone else, so nothing was deleted.`
  throw new Failure("COMMAND_FAILED", message)
}

/** Lets the engine plan what `tearDown` would delete. */
export async function planTearDown(name: string, options: StackChoice): Promise<Changes> {
  await using preview = await openPreview(name, options)
  return await planDestroy(preview.stack)
}

/**
 * Deletes a preview, its database, its stack, and its resources in the account that are not in state.
 * @param options.stored false if the backend has no such stack: then one is created meanwhile, as a lock
 * @throws Failure if the account still has resources of it; the stack stays for another attempt
 */
export async function tearDown(
  name: string,
  options: StackChoice & { stored?: boolean },
): Promise<Changes> {
  await using preview = await openPreview(name, options)
  const { stack, project } = preview
  await moveProviders(preview)
  const changes = await destroy(stack)
  if ((await leftoversOf(preview)).length > 0) {
    const message = "holds the stack while what no state knows is deleted"
    await withStackLock({ ...preview, message }, () => deleteLeftovers(preview))
    // Deletes the resource that the lock created.
    await destroy(stack)
  }
  await stack.workspace.removeStack(stack.name)
  rmSync(project.directory, { recursive: true })
  return changes
}

function leftoversOf({ project, api }: RemoteStack): Promise<UnmanagedResource[]> {
  return findLeftovers(readSubject(project), api)
}

/** Resources that lead to the Worker are deleted first: Cloudflare may keep them without the Worker. */
const order = ["route", "host", "Worker", "database"]

/**
 * Deletes resources under the preview's names, unless they may belong to someone else.
 * @throws Failure listing the remaining resources
 */
async function deleteLeftovers(preview: RemoteStack): Promise<void> {
  const { api, project } = preview
  const { accountId } = readSubject(project).environment
  const resources = await leftoversOf(preview)
  const worker = resources.find(({ kind }) => kind === "Worker")
  const database = resources.find(({ kind }) => kind === "database")
  const doubt = await findPreviewDoubt(
    {
      ...(worker && { worker: { tags: worker.tags ?? [] } }),
      ...(database && { database: { uuid: database.id } }),
    },
    { api, accountId },
  )
  for (const kind of doubt === undefined ? order : []) {
    for (const resource of resources.filter((candidate) => candidate.kind === kind)) {
      await undefinedIfNotFound(api.delete(resource.path))
      say(`deleted ${resource.label}, which no state knew`)
    }
  }
  const leftovers = (await leftoversOf(preview)).map(({ label }) => label).join(", ")
  if (leftovers === "") return
  const reason = doubt === undefined ? "" : ` Not deleted, since ${doubt}.`
  const message = `${project.stack} was destroyed, but the account still has: ${leftovers}.${reason} Delete it there, then run this again.`
  throw new Failure("COMMAND_FAILED", message)
}

/** Its project is generated, so its working directory belongs to it alone. */
type Preview = AsyncDisposable &
  RemoteStack & {
    /** Whether the local Cloudflare that serves it stops with this command. */
    temporary: boolean
  }

/** @param options.stored false if the backend has no such stack, so that there is nothing to repair */
export async function openPreview(
  stack: string,
  options: StackChoice & { stored?: boolean },
): Promise<Preview> {
  if (!options.local) {
    const remote = await openRemotePreview(stack, options)
    return { ...remote, temporary: false, [Symbol.asyncDispose]: async () => {} }
  }
  const template = previewTemplate({ local: true })
  const overrides = fillIn(template, stack)
  const local = await openLocalStack(options, { stack, template, overrides })
  if (options.stored !== false) await repairLocalStack(local)
  return {
    ...local,
    temporary: local.cloudflare.started,
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  }
}

/** Opens the real branches, backend and account for a sweep. */
export async function openSweepContext(
  options: StackChoice & { remote: string },
): Promise<SweepContext & AsyncDisposable> {
  // Fails without a branch, before any slow request.
  existingBranches(options)
  const account = await openPreviewAccount(options)
  return {
    branches: () => existingBranches(options),
    previews: async () => mergePreviews(await listPreviews(options), await account.resources()),
    doubt: (resources) => account.doubt(resources),
    tearDown: async (stack) => {
      const stored = hasStack(await listPreviews(options), stack)
      return await tearDown(stack, { ...options, stored })
    },
    [Symbol.asyncDispose]: () => account[Symbol.asyncDispose](),
  }
}

import { existsSync } from "node:fs"
import { join } from "node:path"

import { Failure } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import { parseStackFile } from "../../environment/stack-file.ts"
import type { StackChoice } from "../local-options.ts"
import { type StackSummary, listStacks, localBackendEngine, remoteEngine } from "../stack/engine.ts"
import type { Overrides } from "../stack/project.ts"
import { currentBranch, expectBranchName, knownBranches, shortName } from "./branch-name.ts"

const prefix = "preview-"

function shortOf(stack: string): string {
  return stack.slice(prefix.length)
}

/** The committed template of previews, at Cloudflare or on this machine. */
export function previewTemplate({ local }: { local: boolean }): string {
  return join(root, "environments", local ? "preview.local.yaml" : "preview.yaml")
}

export function previewStackOf(branch: string): string {
  return `${prefix}${shortName(branch)}`
}

/**
 * The stack that a name stands for: a branch, or what `branch list` prints. Without a name it is the current branch's
 * alone: a branch `preview-login` must not take the preview of `login` for its own.
 * @throws Failure USAGE
 */
export function namedPreview(name: string | undefined, known: StackSummary[]): string {
  const branch = name ?? currentBranch()
  expectBranchName(branch)
  const stack = previewStackOf(branch)
  if (name === undefined || hasStack(known, stack)) return stack
  const listed = [name, `${prefix}${name}`].find((one) => isPreview(one) && hasStack(known, one))
  return listed === undefined || knownBranches().includes(name) ? stack : listed
}

export function hasStack(known: StackSummary[], stack: string): boolean {
  return known.some(({ name }) => name === stack)
}

export type PreviewSummary = {
  /** Undefined if no branch that this clone knows has this preview. */
  branch?: string | undefined
  url: string
}

/** Adds branch and URL, which follow from the names. */
export function describePreviews<Found extends { name: string }>(
  previews: Found[],
  { local, state }: StackChoice,
): (Found & PreviewSummary)[] {
  const branches = new Map(knownBranches().map((branch) => [previewStackOf(branch), branch]))
  const template = originIn(previewTemplate({ local }))
  return previews.map((preview) => {
    const { name } = preview
    // As it was deployed from here, with the ports of this machine.
    const generated = join(state, "projects", name, `Pulumi.${name}.yaml`)
    const origin = existsSync(generated) ? originIn(generated) : template
    const url = origin.replaceAll("{branch}", shortOf(name))
    return { ...preview, branch: branches.get(name), url }
  })
}

function originIn(stackFile: string): string {
  return String(parseStackFile(stackFile, stackFile).config["accounts:apiOrigin"])
}

export function isPreview(stack: string): boolean {
  return stack.startsWith(prefix)
}

export async function listPreviews(options: StackChoice): Promise<StackSummary[]> {
  const engine = options.local
    ? await localBackendEngine(options)
    : await remoteEngine(options.engine)
  return (await listStacks(engine)).filter(({ name }) => isPreview(name))
}

/** @throws Failure for an unknown preview, since opening its stack would create it */
export function expectKnown(stack: string, known: StackSummary[]): void {
  if (hasStack(known, stack)) return
  const others = known.map(({ name }) => shortOf(name)).join(", ")
  throw new Failure(
    "COMMAND_FAILED",
    `There is no preview of ${shortOf(stack)}: the backend has no stack ${stack}. ` +
      (others
        ? `Branches that have one, by their short names: ${others}.`
        : "It has no preview at all."),
  )
}

/** The values of a template that contain `{branch}`, with the stack's short branch name filled in. */
export function fillIn(template: string, stack: string): Overrides {
  const { config } = parseStackFile(template, template)
  return Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) =>
      typeof value === "string" && value.includes("{branch}")
        ? [[key, value.replaceAll("{branch}", shortOf(stack))]]
        : [],
    ),
  )
}

import { existsSync } from "node:fs"
import { join } from "node:path"

import { Failure } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import { parseStackFile } from "../../environment/read.ts"
import type { StackChoice } from "../local-options.ts"
import { printable } from "../output.ts"
import { type StackSummary, listStacks, localBackendEngine, remoteEngine } from "../stack/engine.ts"
import type { Overrides } from "../stack/project.ts"
import { currentBranch, expectBranchName, knownBranches, shortName, git } from "./branch-name.ts"

const day = 24 * 60 * 60 * 1000

/** Returns the tags of a preview's Worker. Cloudflare allows at most eight tags; D1 supports no tags. */
export function previewTags(
  branch: string,
  {
    expires,
    env = process.env,
    now = new Date(),
  }: { expires?: number | undefined; env?: NodeJS.ProcessEnv; now?: Date },
): string[] {
  const facts = {
    repository: repositoryOf(env),
    branch,
    "pull-request": /^refs\/pull\/(\d+)\//.exec(env["GITHUB_REF"] ?? "")?.[1],
    owner: env["GITHUB_ACTOR"] || ifAny("config", "user.name"),
    commit: ifAny("describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"),
    // Rounded to the day, so that a second `up` changes nothing.
    expires: expires && new Date(now.getTime() + expires * day).toISOString().slice(0, 10),
  }
  // A tag must not contain `,` or `&`.
  const escape = (text: string) => text.replaceAll(/[,&]/g, encodeURIComponent).slice(0, 1000)
  return Object.entries(facts).flatMap(([key, value]) => (value ? [`${key}=${escape(value)}`] : []))
}

/**
 * Reads the repository's name, such as `acme/accounts`, the same on every machine; undefined if there is no
 * remote.
 */
export function repositoryOf(
  { GITHUB_REPOSITORY, CI_PROJECT_PATH }: NodeJS.ProcessEnv = process.env,
  remote = ifAny("remote", "get-url", "origin"),
): string | undefined {
  const [, path] = /^(?:\w+:\/\/[^/]*|[^/]*:)?\/*(.+?)(?:\.git)?\/*$/.exec(remote ?? "") ?? []
  return (GITHUB_REPOSITORY || CI_PROJECT_PATH || path)?.toLowerCase()
}

/** Returns a tag's value as printable text, because every deployer in the account can write it. */
export function tagIn(tags: string[] | undefined, key: string): string | undefined {
  const value = tags?.find((tag) => tag.startsWith(`${key}=`))?.slice(key.length + 1)
  return value && printable(value.replaceAll(/%2C|%26/g, decodeURIComponent))
}

function ifAny(...args: string[]): string | undefined {
  try {
    return git(...args)
  } catch {
    return undefined
  }
}

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
 * Returns the stack of a branch, or of a name that `branch list` prints. Without a name, it is the stack of the
 * current branch: a branch `preview-login` must not get the preview of `login`.
 * @throws Failure USAGE
 */
export function namedPreview(name: string | undefined, stacks: StackSummary[]): string {
  const branch = name ?? currentBranch()
  expectBranchName(branch)
  const stack = previewStackOf(branch)
  if (name === undefined || hasStack(stacks, stack)) return stack
  const listed = [name, `${prefix}${name}`].find(
    (candidate) => isPreview(candidate) && hasStack(stacks, candidate),
  )
  return listed === undefined || knownBranches().includes(name) ? stack : listed
}

export function hasStack(stacks: StackSummary[], stack: string): boolean {
  return stacks.some(({ name }) => name === stack)
}

type PreviewSummary = {
  /** Undefined if no branch that this clone knows has this preview. */
  branch?: string | undefined
  url: string
}

/** Adds the branch and the URL, which are derived from the stack's name. */
export function describePreviews<Found extends { name: string }>(
  previews: Found[],
  { local, state }: StackChoice,
): (Found & PreviewSummary)[] {
  const branches = new Map(knownBranches().map((branch) => [previewStackOf(branch), branch]))
  const template = originIn(previewTemplate({ local }))
  return previews.map((preview) => {
    const { name } = preview
    // The generated file has the actual ports of a local preview.
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
export function requirePreview(stack: string, stacks: StackSummary[]): void {
  if (hasStack(stacks, stack)) return
  const branchNames = stacks.map(({ name }) => shortOf(name)).join(", ")
  throw new Failure(
    "COMMAND_FAILED",
    `There is no preview of ${shortOf(stack)}: the backend has no stack ${stack}. ` +
      (branchNames
        ? `Branches that have one, by their short names: ${branchNames}.`
        : "It has no preview at all."),
  )
}

/** Returns the values of a template that contain `{branch}`, with the stack's short branch name filled in. */
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

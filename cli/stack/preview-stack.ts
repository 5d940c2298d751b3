import { join } from "node:path"

import type { StackSummary } from "@pulumi/pulumi/automation/index.js"

import { parseStackFile } from "../../infra/environment/stack-file.ts"
import { root } from "../../root.ts"
import { Failure } from "../output.ts"
import { openBackend, readingEngine } from "./backend.ts"
import { shortName } from "./branch.ts"
import type { LocalOptions } from "./local-stack.ts"
import type { Overrides } from "./project.ts"
import { openRemoteStack, remoteEngine, type RemoteStack } from "./remote-stack.ts"

const prefix = "preview-"

function shortOf(stack: string): string {
  return stack.slice(prefix.length)
}

/** The template of previews at Cloudflare, and of those on this machine. */
export function previewTemplate({ local }: { local: boolean }): string {
  return join(root, "environments", local ? "preview.local.yaml" : "preview.yaml")
}

export function previewStackOf(branch: string): string {
  return `${prefix}${shortName(branch)}`
}

export function isPreview(stack: string): boolean {
  return stack.startsWith(prefix)
}

/** The previews that the backend knows. */
export async function listPreviews(
  options: LocalOptions & { local: boolean },
): Promise<StackSummary[]> {
  const engine = options.local ? await readingEngine(options) : await remoteEngine(options.engine)
  const stacks = await (await openBackend(engine)).listStacks()
  return stacks.filter(({ name }) => isPreview(name))
}

/** @throws Failure, since opening the stack of an unknown preview would make it. */
export function expectKnown(
  stack: string,
  known: StackSummary[],
  branch: string = shortOf(stack),
): void {
  if (known.some(({ name }) => name === stack)) return
  const others = known.map(({ name }) => shortOf(name)).join(", ")
  throw new Failure(
    `There is no preview of ${branch}: the backend has no stack ${stack}. ` +
      (others ? `Branches with a preview, by their short names: ${others}.` : "It has no preview."),
  )
}

/** Opens the stack of a preview at Cloudflare, making it in the backend when it is new. */
export async function openRemotePreview(
  stack: string,
  { template, ...options }: LocalOptions & { template: string },
): Promise<RemoteStack> {
  const overrides = fillIn(template, stack)
  return await openRemoteStack({ ...options, stack, generated: { template, overrides } })
}

/** Every value of a template that names `{branch}`, with the short name of the stack's branch in its place. */
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

import { join } from "node:path"

import { Failure } from "../../failure.ts"
import { parseStackFile } from "../../infra/environment/stack-file.ts"
import { root } from "../../root.ts"
import type { LocalOptions } from "../local-options.ts"
import { listStacks, type StackSummary } from "./backend.ts"
import { shortName } from "./branch-name.ts"
import { localBackendEngine } from "./local-engine.ts"
import type { Overrides } from "./project.ts"
import { remoteEngine } from "./remote-engine.ts"

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

export function isPreview(stack: string): boolean {
  return stack.startsWith(prefix)
}

export async function listPreviews(
  options: LocalOptions & { local: boolean },
): Promise<StackSummary[]> {
  const engine = options.local
    ? await localBackendEngine(options)
    : await remoteEngine(options.engine)
  return (await listStacks(engine)).filter(({ name }) => isPreview(name))
}

/** @throws Failure for an unknown preview, since opening its stack would create it */
export function expectKnown(
  stack: string,
  known: StackSummary[],
  branch: string = shortOf(stack),
): void {
  if (known.some(({ name }) => name === stack)) return
  const others = known.map(({ name }) => shortOf(name)).join(", ")
  throw new Failure(
    "COMMAND_FAILED",
    `There is no preview of ${branch}: the backend has no stack ${stack}. ` +
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

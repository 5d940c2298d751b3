import { rmSync } from "node:fs"

import type { Stack } from "@pulumi/pulumi/automation/index.js"

import { paint, print, say } from "../output.ts"
import { currentBranch } from "../stack/branch.ts"
import { summary } from "../stack/change-summary.ts"
import { openLocalStack, type LocalOptions } from "../stack/local-stack.ts"
import {
  expectKnown,
  fillIn,
  listPreviews,
  openRemotePreview,
  previewStackOf,
  previewTemplate,
} from "../stack/preview-stack.ts"
import { mendLocal } from "../stack/repair.ts"
import { destroy, up } from "../stack/stack.ts"

export type PreviewOptions = LocalOptions & {
  local: boolean
  template: string | undefined
  json: boolean
}

/** Brings the preview of a branch up: a stack, a Worker, a database and secrets of its own. */
export async function previewUp(
  branch: string | undefined,
  options: PreviewOptions,
): Promise<void> {
  await using preview = await openPreview(branch ?? currentBranch(), options)
  const { changes, outputs } = await up(preview.stack)
  const url = String(outputs["url"])
  say(summary(changes))
  print(options.json ? JSON.stringify({ stack: preview.stack.name, url, changes }) : `ready ${url}`)
  if (preview.brief) {
    say(paint.dim("  It answers while the local Cloudflare runs: `npm start` keeps that up."))
  }
}

/** Takes a preview down and forgets its stack. */
export async function previewDown(
  branch: string | undefined,
  options: PreviewOptions,
): Promise<void> {
  const name = branch ?? currentBranch()
  expectKnown(previewStackOf(name), await listPreviews(options), name)
  await using preview = await openPreview(name, options)
  const { stack } = preview
  const changes = await destroy(stack)
  await stack.workspace.removeStack(stack.name)
  rmSync(stack.workspace.workDir, { recursive: true })
  say(`${stack.name} is gone: ${summary(changes)}`)
  if (options.json) print(JSON.stringify({ stack: stack.name, changes }))
}

/** Prints the previews that the backend knows. */
export async function previewList(options: PreviewOptions): Promise<void> {
  const known = await listPreviews(options)
  if (options.json) {
    return print(JSON.stringify(known.map(({ name, lastUpdate }) => ({ name, lastUpdate }))))
  }
  if (known.length === 0) say("No previews.")
  for (const { name, lastUpdate } of known) print(`${name}  ${lastUpdate ?? "not finished"}`)
}

type Preview = AsyncDisposable & {
  /** Its project is generated: the working directory is nobody else's. */
  stack: Stack
  /** True when the Cloudflare that serves it ends with this command. */
  brief: boolean
}

async function openPreview(branch: string, options: PreviewOptions): Promise<Preview> {
  const stack = previewStackOf(branch)
  const template = options.template ?? previewTemplate(options)
  if (!options.local) {
    const { stack: remote } = await openRemotePreview(stack, { ...options, template })
    return { stack: remote, brief: false, [Symbol.asyncDispose]: async () => {} }
  }
  const overrides = fillIn(template, stack)
  const local = await openLocalStack(options, { stack, template, overrides })
  await mendLocal(local)
  return {
    stack: local.stack,
    brief: local.cloudflare.started,
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  }
}

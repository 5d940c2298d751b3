import { rmSync } from "node:fs"
import { join } from "node:path"

import type { Stack, StackSummary } from "@pulumi/pulumi/automation/index.js"

import { parseStackFile } from "../environment/stack-file.ts"
import { root } from "../root.ts"
import { openBackend, readingEngine } from "./backend.ts"
import { currentBranch, shortName } from "./branch.ts"
import { openLocalStack, type LocalOptions } from "./local-stack.ts"
import { Failure, paint, print, say } from "./output.ts"
import type { Overrides } from "./project.ts"
import { openRemoteStack, remoteEngine } from "./remote-stack.ts"
import { mendLocal } from "./repair.ts"
import { destroy, up } from "./stack.ts"
import { summary } from "./summary.ts"

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
  const changes = await up(preview.stack)
  const outputs = await preview.stack.outputs()
  const url = String(outputs["url"]?.value)
  say(summary(changes))
  print(options.json ? JSON.stringify({ stack: preview.stack.name, url, changes }) : `ready ${url}`)
  if (preview.brief)
    say(paint.dim("  It answers while the local Cloudflare runs: `npm start` keeps that up."))
}

/** Takes a preview down and forgets its stack. */
export async function previewDown(
  branch: string | undefined,
  options: PreviewOptions,
): Promise<void> {
  const name = branch ?? currentBranch()
  expectKnown(name, await previews(options))
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
  const known = await previews(options)
  if (options.json)
    return print(JSON.stringify(known.map(({ name, lastUpdate }) => ({ name, lastUpdate }))))
  if (known.length === 0) say("No previews.")
  for (const { name, lastUpdate } of known) print(`${name}  ${lastUpdate ?? "not finished"}`)
}

const stackOf = (branch: string) => `preview-${shortName(branch)}`

async function previews(options: PreviewOptions): Promise<StackSummary[]> {
  const engine = options.local ? await readingEngine(options) : await remoteEngine(options.engine)
  const stacks = await (await openBackend(engine)).listStacks()
  return stacks.filter(({ name }) => name.startsWith("preview-"))
}

/** @throws Failure, since opening the stack of an unknown preview would make it. */
function expectKnown(branch: string, known: StackSummary[]): void {
  const stack = stackOf(branch)
  if (known.some(({ name }) => name === stack)) return
  const others = known.map(({ name }) => name.slice("preview-".length)).join(", ")
  throw new Failure(
    `There is no preview of ${branch}: the backend has no stack ${stack}. ` +
      (others ? `Branches with a preview, by their short names: ${others}.` : "It has no preview."),
  )
}

type Preview = AsyncDisposable & {
  /** Its project is generated: the working directory is nobody else's. */
  stack: Stack
  /** True when the Cloudflare that serves it ends with this command. */
  brief: boolean
}

async function openPreview(branch: string, options: PreviewOptions): Promise<Preview> {
  const stack = stackOf(branch)
  const template =
    options.template ??
    join(root, "environments", options.local ? "preview.local.yaml" : "preview.yaml")
  const overrides = fillIn(template, shortName(branch))
  if (!options.local) {
    const { stack: remote } = await openRemoteStack({
      stack,
      engine: options.engine,
      generated: { template, overrides },
    })
    return { stack: remote, brief: false, [Symbol.asyncDispose]: async () => {} }
  }
  const local = await openLocalStack(options, { stack, template, overrides })
  await mendLocal(local)
  return {
    stack: local.stack,
    brief: local.cloudflare.started,
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  }
}

/** Every value of a template that names `{branch}`, with the branch's short name in its place. */
function fillIn(template: string, short: string): Overrides {
  const { config } = parseStackFile(template, template)
  return Object.fromEntries(
    Object.entries(config).flatMap(([key, value]) =>
      typeof value === "string" && value.includes("{branch}")
        ? [[key, value.replaceAll("{branch}", short)]]
        : [],
    ),
  )
}

import { join } from "node:path"

import { LocalWorkspace, PulumiCommand, type Stack } from "@pulumi/pulumi/automation/index.js"

import { findEngine } from "../engine/engine.ts"
import { engineProgress } from "../engine/terminal.ts"
import { parseStackFile } from "../environment/stack-file.ts"
import { root } from "../root.ts"
import { currentBranch, shortName } from "./branch.ts"
import { localEngine, openLocalStack, type LocalOptions } from "./local-stack.ts"
import { print, say } from "./output.ts"
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
}

/** Takes a preview down and forgets its stack. */
export async function previewDown(
  branch: string | undefined,
  options: PreviewOptions,
): Promise<void> {
  await using preview = await openPreview(branch ?? currentBranch(), options)
  const changes = await destroy(preview.stack)
  await preview.stack.workspace.removeStack(preview.stack.name)
  say(`${preview.stack.name} is gone: ${summary(changes)}`)
  if (options.json) print(JSON.stringify({ stack: preview.stack.name, changes }))
}

/** The previews that the backend knows. */
export async function previewList(options: PreviewOptions): Promise<void> {
  const engine = options.local ? await idleLocalEngine(options) : await remoteEngine(options.engine)
  const workspace = await LocalWorkspace.create({
    workDir: root,
    envVars: engine.environment,
    pulumiCommand: await PulumiCommand.get(engine),
  })
  const previews = (await workspace.listStacks()).filter(({ name }) => name.startsWith("preview-"))
  if (options.json)
    return print(JSON.stringify(previews.map(({ name, lastUpdate }) => ({ name, lastUpdate }))))
  if (previews.length === 0) say("No previews.")
  for (const { name, lastUpdate } of previews) print(`${name}  ${lastUpdate ?? "not finished"}`)
}

type Preview = AsyncDisposable & { stack: Stack }

async function openPreview(branch: string, options: PreviewOptions): Promise<Preview> {
  const short = shortName(branch)
  const stack = `preview-${short}`
  const template =
    options.template ??
    join(root, "environments", options.local ? "preview.local.yaml" : "preview.yaml")
  const overrides = fillIn(template, short)
  if (!options.local) {
    const { stack: remote } = await openRemoteStack({
      stack,
      engine: options.engine,
      generated: { template, overrides },
    })
    return { stack: remote, [Symbol.asyncDispose]: async () => {} }
  }
  const local = await openLocalStack(options, { stack, template, overrides })
  await mendLocal(local)
  return local
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

/** Listing needs the state directory's backend, not a running Cloudflare. */
async function idleLocalEngine({ state, apiPort, engine: enginePath }: LocalOptions) {
  const found = await findEngine({ enginePath, onProgress: engineProgress() })
  const cloudflare = { api: `http://127.0.0.1:${apiPort}/client/v4`, token: "", accountId: "" }
  return (await localEngine({ state, found, cloudflare })).engine
}

import type { Stack } from "@pulumi/pulumi/automation/index.js"

import type { LocalOptions } from "../local-options.ts"
import type { Engine } from "./engine.ts"
import { fillIn } from "./preview-stack.ts"
import { checkoutProject, generateProject, type Overrides } from "./project.ts"
import { remoteEngine } from "./remote-engine.ts"
import { openStack } from "./stack.ts"

export type RemoteStack = { engine: Engine; stack: Stack }

/** Opens a stack at Cloudflare, from its committed stack file or from a template. */
export async function openRemoteStack(options: {
  stack: string
  engine: string | undefined
  /** Directory that a generated project is written under. */
  state: string
  generated?: { template: string; overrides: Overrides }
}): Promise<RemoteStack> {
  const { stack: name, generated } = options
  const engine = await remoteEngine(options.engine)
  const project = generated
    ? generateProject({ state: options.state, stack: name, ...generated })
    : checkoutProject(name)
  return { engine, stack: await openStack({ project, engine }) }
}

/** Opens the stack of a preview at Cloudflare; creates it in the backend if it is new. */
export async function openRemotePreview(
  stack: string,
  { template, ...options }: LocalOptions & { template: string },
): Promise<RemoteStack> {
  const overrides = fillIn(template, stack)
  return await openRemoteStack({ ...options, stack, generated: { template, overrides } })
}

import type { Stack } from "@pulumi/pulumi/automation/index.js"

import { callersEnvironment } from "../engine/engine-environment.ts"
import { findEngine } from "../engine/engine.ts"
import { engineProgress } from "../engine/terminal.ts"
import { Failure } from "../output.ts"
import { checkoutProject, generateProject, type Overrides } from "./project.ts"
import { openStack, type Engine } from "./stack.ts"

export type RemoteStack = { engine: Engine; stack: Stack }

/** The engine with the caller's own backend, secrets provider and Cloudflare token. */
export async function remoteEngine(enginePath: string | undefined): Promise<Engine> {
  if (!process.env["CLOUDFLARE_API_TOKEN"]) {
    throw new Failure(
      "CLOUDFLARE_API_TOKEN is not set: this stack lives at Cloudflare. (--local works on this machine.)",
    )
  }
  const { command, root } = await findEngine({ enginePath, onProgress: engineProgress() })
  return { command, root, environment: callersEnvironment({ engine: command }) }
}

/** A stack at Cloudflare, from its committed stack file or from a template. */
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

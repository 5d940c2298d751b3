import { existsSync } from "node:fs"
import { join } from "node:path"

import type { Stack } from "@pulumi/pulumi/automation/index.js"

import { Failure } from "../../base/failure.ts"
import { conflictingBaseUrls } from "../../base/process-environment.ts"
import type { Api } from "../../deploy/api.ts"
import { openApi } from "../api.ts"
import {
  requirePreview,
  fillIn,
  isPreview,
  listPreviews,
  previewTemplate,
} from "../branch/preview-stack.ts"
import type { LocalOptions, StackChoice } from "../local-options.ts"
import { expectPermissions, printTokenExpiry } from "../token-expiry.ts"
import { type Engine, remoteEngine } from "./engine.ts"
import { openLocalStack, type LocalStack } from "./local-stack.ts"
import { checkoutProject, generateProject, type Project, writeRehearsal } from "./project.ts"
import { openStack } from "./stack.ts"

/** Opens an existing stack: `local`, a preview, or a stack with a committed file. */
export async function openByName(
  name: string,
  options: StackChoice,
): Promise<AsyncDisposable & RemoteStack> {
  if (name === "local" || options.local) return await openStackOfMachine(name, options)
  const site = await openRemoteSite(name, options)
  await expectUsableToken(site)
  const stack = await openStack({ ...site, create: false })
  return { ...site, stack, [Symbol.asyncDispose]: async () => {} }
}

/** Opens `local`, a preview on this machine as last deployed, or a local trial of a permanent environment. */
export async function openStackOfMachine(name: string, options: LocalOptions): Promise<LocalStack> {
  if (name === "local") return await openLocalStack(options)
  if (!isPreview(name)) {
    return await openLocalStack(options, {
      stack: name,
      template: writeRehearsal(name, options.state),
    })
  }
  requirePreview(name, await listPreviews({ ...options, local: true }))
  const last = join(options.state, "projects", name, `Pulumi.${name}.yaml`)
  // Another clone may have deployed it.
  const template = existsSync(last) ? last : previewTemplate({ local: true })
  return await openLocalStack(options, {
    stack: name,
    template,
    overrides: fillIn(template, name),
  })
}

export type RemoteStack = { engine: Engine; project: Project; api: Api; stack: Stack }

type RemoteSite = Omit<RemoteStack, "stack">

/** Opens a stack at Cloudflare by its committed stack file, or an existing preview by the template. */
export async function openRemoteSite(stack: string, options: LocalOptions): Promise<RemoteSite> {
  if (!isPreview(stack)) {
    const project = checkoutProject(stack)
    expectOwnApi(project)
    return { engine: await remoteEngine(options.engine), project, api: openApi(project) }
  }
  requirePreview(stack, await listPreviews({ ...options, local: false }))
  return await previewSite(stack, options)
}

/** Opens the stack of a preview at Cloudflare; creates it in the backend if it is new. */
export async function openRemotePreview(
  stack: string,
  options: LocalOptions,
): Promise<RemoteStack> {
  const site = await previewSite(stack, options)
  await expectUsableToken(site)
  return { ...site, stack: await openStack(site) }
}

async function expectUsableToken({ api, project: { accountId, zone } }: RemoteSite): Promise<void> {
  const account = { api, accountId }
  await Promise.all([printTokenExpiry(account), expectPermissions(account, zone)])
}

async function previewSite(stack: string, options: LocalOptions): Promise<RemoteSite> {
  const { state } = options
  const engine = await remoteEngine(options.engine)
  const template = previewTemplate({ local: false })
  const overrides = fillIn(template, stack)
  const project = generateProject({ state, stack, template, overrides })
  expectOwnApi(project)
  return { engine, project, api: openApi(project) }
}

function expectOwnApi({ baseUrl }: Project): void {
  const conflicts = conflictingBaseUrls(baseUrl)
  if (conflicts.length > 0) throw new Failure("COMMAND_FAILED", conflicts.join("\n"))
}

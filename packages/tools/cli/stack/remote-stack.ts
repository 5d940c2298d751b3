import type { Stack } from "@pulumi/pulumi/automation/index.js"

import { Failure } from "../../base/failure.ts"
import { foreignBaseUrls } from "../../base/process-environment.ts"
import type { Api } from "../../deploy/api.ts"
import { openApi } from "../api.ts"
import {
  expectKnown,
  fillIn,
  isPreview,
  listPreviews,
  previewTemplate,
} from "../branch/preview-stack.ts"
import type { LocalOptions } from "../local-options.ts"
import { sayTokenExpiry } from "../token-expiry.ts"
import type { Engine } from "./engine.ts"
import { checkoutProject, generateProject, type Project } from "./project.ts"
import { remoteEngine } from "./remote-engine.ts"
import { openStack } from "./stack.ts"

export type RemoteStack = { engine: Engine; project: Project; api: Api; stack: Stack }

type RemoteSite = Omit<RemoteStack, "stack">

/** A stack at Cloudflare, by its committed stack file; a preview by its template, if it exists. */
export async function openRemoteSite(stack: string, options: LocalOptions): Promise<RemoteSite> {
  if (!isPreview(stack)) {
    const project = checkoutProject(stack)
    expectOwnApi(project)
    return { engine: await remoteEngine(options.engine), project, api: openApi(project) }
  }
  expectKnown(stack, await listPreviews({ ...options, local: false }))
  return await previewSite(stack, { ...options, template: previewTemplate({ local: false }) })
}

/** Opens the stack of a preview at Cloudflare; creates it in the backend if it is new. */
export async function openRemotePreview(
  stack: string,
  options: LocalOptions & { template: string },
): Promise<RemoteStack> {
  const site = await previewSite(stack, options)
  await sayTokenExpiry({ api: site.api, accountId: site.project.accountId })
  return { ...site, stack: await openStack(site) }
}

async function previewSite(
  stack: string,
  { template, state, engine: path }: LocalOptions & { template: string },
): Promise<RemoteSite> {
  const engine = await remoteEngine(path)
  const overrides = fillIn(template, stack)
  const project = generateProject({ state, stack, template, overrides })
  expectOwnApi(project)
  return { engine, project, api: openApi(project) }
}

function expectOwnApi({ baseUrl }: Project): void {
  const foreign = foreignBaseUrls(baseUrl)
  if (foreign.length > 0) throw new Failure("COMMAND_FAILED", foreign.join("\n"))
}

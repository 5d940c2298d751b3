import type { Stack } from "@pulumi/pulumi/automation/index.js"

import type { Api } from "../../provider/api.ts"
import { openApi } from "../api.ts"
import type { LocalOptions } from "../local-options.ts"
import { repairLocalStack } from "../repair/repair.ts"
import { openLocalStack } from "../stack/local-stack.ts"
import { openRemotePreview } from "../stack/remote-stack.ts"
import { fillIn, previewTemplate } from "./preview-stack.ts"

type Preview = AsyncDisposable & {
  /** Its project is generated, so its working directory belongs to it alone. */
  stack: Stack
  api: Api
  /** True when the local Cloudflare that serves it stops with this command. */
  temporary: boolean
}

export async function openPreview(
  stack: string,
  options: LocalOptions & { local: boolean; template: string | undefined },
): Promise<Preview> {
  const template = options.template ?? previewTemplate(options)
  if (!options.local) {
    const { stack: remote, project } = await openRemotePreview(stack, { ...options, template })
    const api = openApi(project)
    return { stack: remote, api, temporary: false, [Symbol.asyncDispose]: async () => {} }
  }
  const overrides = fillIn(template, stack)
  const local = await openLocalStack(options, { stack, template, overrides })
  await repairLocalStack(local)
  return {
    stack: local.stack,
    api: openApi({ baseUrl: local.cloudflare.api, token: local.cloudflare.token }),
    temporary: local.cloudflare.started,
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  }
}

import type { Stack } from "@pulumi/pulumi/automation/index.js"

import type { LocalOptions } from "../local-options.ts"
import { openLocalStack } from "./local-stack.ts"
import { fillIn, previewStackOf, previewTemplate } from "./preview-stack.ts"
import { openRemotePreview } from "./remote-stack.ts"
import { repairLocalStack } from "./repair.ts"

type Preview = AsyncDisposable & {
  /** Its project is generated, so its working directory belongs to it alone. */
  stack: Stack
  /** True when the local Cloudflare that serves it stops with this command. */
  temporary: boolean
}

export async function openPreview(
  branch: string,
  options: LocalOptions & { local: boolean; template: string | undefined },
): Promise<Preview> {
  const stack = previewStackOf(branch)
  const template = options.template ?? previewTemplate(options)
  if (!options.local) {
    const { stack: remote } = await openRemotePreview(stack, { ...options, template })
    return { stack: remote, temporary: false, [Symbol.asyncDispose]: async () => {} }
  }
  const overrides = fillIn(template, stack)
  const local = await openLocalStack(options, { stack, template, overrides })
  await repairLocalStack(local)
  return {
    stack: local.stack,
    temporary: local.cloudflare.started,
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  }
}

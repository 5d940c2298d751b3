import type { StackChoice } from "../local-options.ts"
import { repairLocalStack } from "../repair/repair.ts"
import { openLocalStack } from "../stack/local-stack.ts"
import { openRemotePreview, type RemoteStack } from "../stack/open-by-name.ts"
import { fillIn, previewTemplate } from "./preview-stack.ts"

/** Its project is generated, so its working directory belongs to it alone. */
type Preview = AsyncDisposable &
  RemoteStack & {
    /** True when the local Cloudflare that serves it stops with this command. */
    temporary: boolean
  }

/** @param options.stored false if the backend has no such stack, so that there is nothing to repair */
export async function openPreview(
  stack: string,
  options: StackChoice & { stored?: boolean },
): Promise<Preview> {
  const template = previewTemplate(options)
  if (!options.local) {
    const remote = await openRemotePreview(stack, { ...options, template })
    return { ...remote, temporary: false, [Symbol.asyncDispose]: async () => {} }
  }
  const overrides = fillIn(template, stack)
  const local = await openLocalStack(options, { stack, template, overrides })
  if (options.stored !== false) await repairLocalStack(local)
  return {
    ...local,
    temporary: local.cloudflare.started,
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  }
}

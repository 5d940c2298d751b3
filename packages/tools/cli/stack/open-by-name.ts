import { existsSync } from "node:fs"
import { join } from "node:path"

import {
  expectKnown,
  fillIn,
  isPreview,
  listPreviews,
  previewTemplate,
} from "../branch/preview-stack.ts"
import type { LocalOptions, StackChoice } from "../local-options.ts"
import { sayTokenExpiry } from "../token-expiry.ts"
import { openLocalStack, type LocalStack } from "./local-stack.ts"
import { writeRehearsal } from "./rehearsal-file.ts"
import { openRemoteSite, type RemoteStack } from "./remote-stack.ts"
import { openStack } from "./stack.ts"

/** Opens a stack that exists: `local`, a preview, or one with a committed stack file. */
export async function openByName(
  name: string,
  options: StackChoice,
): Promise<AsyncDisposable & RemoteStack> {
  if (name === "local" || options.local) return await openStackOfMachine(name, options)
  const site = await openRemoteSite(name, options)
  await sayTokenExpiry({ api: site.api, accountId: site.project.accountId })
  const stack = await openStack({ ...site, create: false })
  return { ...site, stack, [Symbol.asyncDispose]: async () => {} }
}

/** `local`, a preview on this machine as it was deployed last, or a permanent environment that is tried here. */
export async function openStackOfMachine(name: string, options: LocalOptions): Promise<LocalStack> {
  if (name === "local") return await openLocalStack(options)
  if (!isPreview(name)) {
    return await openLocalStack(options, {
      stack: name,
      template: writeRehearsal(name, options.state),
    })
  }
  expectKnown(name, await listPreviews({ ...options, local: true }))
  const last = join(options.state, "projects", name, `Pulumi.${name}.yaml`)
  // Another clone may have deployed it.
  const template = existsSync(last) ? last : previewTemplate({ local: true })
  return await openLocalStack(options, {
    stack: name,
    template,
    overrides: fillIn(template, name),
  })
}

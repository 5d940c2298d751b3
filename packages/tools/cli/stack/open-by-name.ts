import { existsSync } from "node:fs"
import { join } from "node:path"

import { Failure } from "../../base/failure.ts"
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

/** `local`, or a preview on this machine as it was deployed last. */
export async function openStackOfMachine(name: string, options: LocalOptions): Promise<LocalStack> {
  if (name === "local") return await openLocalStack(options)
  if (!isPreview(name)) throw notOfMachine(name)
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

function notOfMachine(stack: string): Failure {
  const message = `--local is for previews on this machine, and ${stack} is none. Leave out --local for a stack at Cloudflare.`
  return new Failure("USAGE", message)
}

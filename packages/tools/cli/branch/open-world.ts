import type { StackChoice } from "../local-options.ts"
import { takeDown } from "./down.ts"
import { existingBranches, joinPreviews, type World } from "./gone-branches.ts"
import { openPreviewAccount } from "./held-previews.ts"
import { hasStack, listPreviews } from "./preview-stack.ts"

/** The branches, the backend and the account that there are. */
export async function openWorld(
  options: StackChoice & { remote: string },
): Promise<World & AsyncDisposable> {
  // Without a branch at all nothing is asked that costs time.
  existingBranches(options)
  const account = await openPreviewAccount(options)
  return {
    branches: () => existingBranches(options),
    previews: async () => joinPreviews(await listPreviews(options), await account.held()),
    doubt: (held) => account.doubt(held),
    takeDown: async (stack) => {
      const stored = hasStack(await listPreviews(options), stack)
      return await takeDown(stack, { ...options, stored })
    },
    [Symbol.asyncDispose]: () => account[Symbol.asyncDispose](),
  }
}

import { createAuthMiddleware, sensitiveSessionMiddleware } from "better-auth/api"

import { createApiError } from "./api-error.ts"

/** Id of whom a page believes to be signed in: another tab may have signed in somebody else since. */
export const believedUser = "accounts-user"

/** Whether a call is meant for somebody else than whose session it came with. */
export function isMeantForAnother(headers: Headers | undefined, userId: string | undefined) {
  const believed = headers?.get(believedUser) ?? undefined
  return believed !== undefined && believed !== userId
}

const refuseAnother = createAuthMiddleware(async ({ headers, context }) => {
  if (isMeantForAnother(headers, context.session?.user.id)) throw createApiError("SESSION_CHANGED")
})

/** The library's, for what changes something. */
export const ownSession = [sensitiveSessionMiddleware, refuseAnother]

import { handleOAuthUserInfo } from "better-auth/oauth2"

import { auditOwn } from "../../admin/audit.ts"
import type { Database } from "../../database.ts"
import type { EndpointContext } from "../cookie/host-cookie.ts"
import { dropUnprovenCredentials } from "../sign-up/unproven.ts"
import type { profileOf } from "./claims.ts"
import type { SignInError } from "./sign-in-error.ts"

type Options = {
  context: EndpointContext
  database: Database
  profile: ReturnType<typeof profileOf>
  providerId: string
}

/** Signs the user of a verified profile in or up; returns the code of an error. */
export async function enter({ context, database, profile, providerId }: Options) {
  const attempt = () =>
    handleOAuthUserInfo(context, {
      userInfo: profile,
      account: { providerId, accountId: profile.id },
    })
  const first = await attempt()
  if (first.error === "account not linked") await dropUnprovenCredentials(database, profile)
  // Any other error may be that of two first sign-ins at once: the slower one finds the account.
  const result = first.data === null ? await attempt() : first
  if (result.data === null) {
    const isRefused = result.error === "account not linked"
    return (isRefused ? "account_not_linked" : "internal_server_error") satisfies SignInError
  }
  const { user } = result.data
  await auditOwn({ database, action: "sign_in", userId: user.id, detail: providerId })
  return { ...result.data, isRegister: result.isRegister }
}

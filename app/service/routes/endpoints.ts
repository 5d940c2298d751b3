import * as z from "zod"

import { accountDeletion, deleteUserPath } from "../account/deletion/account-deletion.ts"
import { accountUnlinking, unlinkAccountPath } from "../account/methods/account-unlinking.ts"
import {
  passwordChange,
  passwordPaths,
  passwordSetting,
} from "../account/password/password-change.ts"
import { passwordReset, resetPaths } from "../account/password/password-reset.ts"
import { emailVerification, verificationPaths } from "../account/sign-up/email-verification.ts"
import { emailSignUp, signUpEmailPath } from "../account/sign-up/sign-up.ts"
import { NewPassword } from "../guard/new-password.ts"
import type { Dependencies, Path, Trait } from "../session/endpoint.ts"
import { sessionEnding, sessionPaths } from "../session/session-ending.ts"
import { codePaths, codeSignIn } from "../sign-in/code/code-sign-in.ts"
import { passkeyPaths, passkeys } from "../sign-in/passkey/passkey-endpoints.ts"
import { emailSignIn, signInEmailPath } from "../sign-in/password/sign-in.ts"
import { openidSignIn, providerPaths } from "../sign-in/provider/openid-sign-in.ts"
import {
  secondFactorSignIn,
  signInSecondFactorPath,
} from "../sign-in/second-factor/second-factor-endpoint.ts"
import { stepUpEndpoint, stepUpPaths } from "../sign-in/step-up-endpoint.ts"

/** Paths that the authentication library answers, or the session reader in its place. */
const libraryPaths = {
  getSession: { path: "/get-session", methods: ["GET"], is: ["open", "frequent"] },
  listSessions: { path: "/list-sessions", methods: ["GET"], is: ["frequent"] },
  listAccounts: { path: "/list-accounts", methods: ["GET"], is: ["frequent"] },
} as const satisfies Record<string, Path>

/** Every path below /api/auth, in the order of the API's description. */
export const offeredPaths: Path[] = [
  signUpEmailPath,
  signInEmailPath,
  codePaths.signIn,
  codePaths.begin,
  providerPaths.start,
  providerPaths.callback,
  libraryPaths.getSession,
  sessionPaths.signOut,
  libraryPaths.listSessions,
  sessionPaths.revokeOthers,
  sessionPaths.revokeAll,
  sessionPaths.revoke,
  passwordPaths.change,
  passwordPaths.set,
  libraryPaths.listAccounts,
  providerPaths.link,
  unlinkAccountPath,
  stepUpPaths.begin,
  stepUpPaths.stepUp,
  deleteUserPath,
  verificationPaths.send,
  verificationPaths.verify,
  verificationPaths.verifyWithPassword,
  resetPaths.request,
  resetPaths.open,
  resetPaths.reset,
  passkeyPaths.begin,
  passkeyPaths.signIn,
  passkeyPaths.add,
  signInSecondFactorPath,
]

/** Creates the endpoints below /api/auth, by name. They replace the library's endpoints of the same names. */
export function createEndpoints(dependencies: Dependencies) {
  return {
    ...emailSignIn(dependencies),
    ...openidSignIn(dependencies),
    ...codeSignIn(dependencies),
    ...passkeys(dependencies),
    ...secondFactorSignIn(dependencies),
    ...stepUpEndpoint(dependencies),
    ...sessionEnding(dependencies),
    ...emailSignUp(dependencies),
    ...emailVerification(dependencies),
    ...passwordChange(dependencies),
    ...passwordSetting(dependencies),
    ...passwordReset(dependencies),
    ...accountUnlinking(dependencies),
    ...accountDeletion(dependencies),
  }
}

const byPath = new Map(offeredPaths.map((offered) => [offered.path, offered]))

const patterns = offeredPaths
  .filter(({ path }) => path.includes(":"))
  .map((offered) => ({
    offered,
    pattern: new RegExp(`^${offered.path.replaceAll(/:\w+/g, "[^/]+")}$`),
  }))

/** Finds the offered path that matches a path below /api/auth. */
export function pathOf(path: string) {
  return byPath.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.offered
}

export function pathHas(path: string, trait: Trait) {
  return byPath.get(path)?.is?.includes(trait) === true
}

/** Returns undefined for a path without a body. */
export function bodyOf(path: string) {
  return byPath.get(path)?.body
}

/** Returns the fields of a path in which a user chooses a password. */
export function newPasswordsOf(path: string) {
  return Object.entries(bodyOf(path)?.shape ?? {}).flatMap(([name, field]) => {
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field
    return inner === NewPassword ? [name] : []
  })
}

/** Whether the path requires a Turnstile token in environments that have Turnstile. */
export function takesTurnstile(path: string) {
  return "turnstile" in (bodyOf(path)?.shape ?? {})
}

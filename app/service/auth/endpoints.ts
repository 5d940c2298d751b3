import { accountDeletion } from "./account-deletion.ts"
import { accountUnlinking } from "./account-unlinking.ts"
import { codeSignIn } from "./emailed-code/code-sign-in.ts"
import type { Dependencies } from "./endpoint.ts"
import { secondFactorSignIn } from "./factor/second-factor-endpoint.ts"
import { passkeys } from "./passkey/passkey-endpoints.ts"
import { passwordChange, passwordSetting } from "./password/password-change.ts"
import { passwordReset } from "./password/password-reset.ts"
import { openidSignIn } from "./provider/openid-sign-in.ts"
import { sessionEnding } from "./session-ending.ts"
import { emailSignIn } from "./sign-in.ts"
import { emailVerification } from "./sign-up/email-verification.ts"
import { emailSignUp } from "./sign-up/sign-up.ts"
import { stepUpEndpoint } from "./step-up-endpoint.ts"

/** Endpoints below /api/auth by name: they replace the library's of the same names. */
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

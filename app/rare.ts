import { accountDeletion } from "./service/auth/account-deletion.ts"
import { accountUnlinking } from "./service/auth/account-unlinking.ts"
import type { Dependencies } from "./service/auth/dependencies.ts"
import { codeSignIn } from "./service/auth/emailed-code/code-sign-in.ts"
import { secondFactorSignIn } from "./service/auth/factor/second-factor-endpoint.ts"
import { passkeys } from "./service/auth/passkey/passkey-endpoints.ts"
import { passwordChange } from "./service/auth/password/password-change.ts"
import { passwordReset } from "./service/auth/password/password-reset.ts"
import { passwordSetting } from "./service/auth/password/password-setting.ts"
import { emailVerification } from "./service/auth/sign-up/email-verification.ts"
import { emailSignUp } from "./service/auth/sign-up/sign-up.ts"
import { stepUpEndpoint } from "./service/auth/step-up-endpoint.ts"

/*
 * What is asked for seldom is a code module of its own, which the first request for any of it loads. In the
 * Worker, nothing but an `import()` may lead here.
 */

export { rareRouter } from "./rare-router.ts"
export { askForFactor } from "./service/auth/factor/sign-in-step.ts"
export { askOthers } from "./service/auth/others.ts"
export { doHourly } from "./service/sweep/hourly.ts"

/** Endpoints of the paths that `service/auth/paths.ts` lists as rare. */
export function rareEndpoints(dependencies: Dependencies) {
  return {
    ...emailSignUp(dependencies),
    ...emailVerification(dependencies),
    ...passwordChange(dependencies),
    ...passwordSetting(dependencies),
    ...passwordReset(dependencies),
    ...accountUnlinking(dependencies),
    ...accountDeletion(dependencies),
    ...stepUpEndpoint(dependencies),
    ...passkeys(dependencies),
    ...codeSignIn(dependencies),
    ...secondFactorSignIn(dependencies),
  }
}

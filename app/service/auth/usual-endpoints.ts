import type { Dependencies } from "./dependencies.ts"
import { openidSignIn } from "./provider/openid-sign-in.ts"
import { sessionEnding } from "./session-ending.ts"
import { emailSignIn } from "./sign-in.ts"

/** Endpoints of every path that `paths.ts` does not list as rare; those are in the module of `rare.ts`. */
export function usualEndpoints(dependencies: Dependencies) {
  return {
    ...emailSignIn(dependencies),
    ...openidSignIn(dependencies),
    ...sessionEnding(dependencies),
  }
}

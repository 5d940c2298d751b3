import * as z from "zod"

import { failuresOf } from "./error-responses.ts"
import { type AuthOperation, User } from "./operation-fields.ts"

export const factorOperations: AuthOperation[] = [
  {
    path: "/sign-in/second-factor",
    summary: "Go on with a sign-in that asks for a second factor",
    description:
      "After signInEmail has answered 403 SECOND_FACTOR_REQUIRED, or returnFromProvider led to ?error=second_factor_required, in the same browser and within ten minutes. Takes a code of the app, once, or a recovery code, which is spent then. Five tries; an account rejects codes of an app for a day after twenty wrong ones, but for browsers that have signed in before, and recovery codes all the same. A passkey signs in by itself: signInPasskey.",
    output: z.object({
      token: z.string(),
      url: z.string().optional().describe("callbackURL of the sign-in that goes on"),
      user: User,
    }),
    cookie: "The session, a mark of the browser for the address and, if you like, its trust",
    errors: failuresOf("STEP_EXPIRED", "INVALID_CODE", "TOO_MANY_ATTEMPTS", "ACCOUNT_SUSPENDED"),
  },
]

import * as z from "zod"

import { providerHints } from "../auth/bodies.ts"
import { signInErrors } from "../auth/provider/sign-in-error.ts"
import { failuresOf } from "./error-responses.ts"
import { type AuthOperation, trustedUrl, User } from "./operation-fields.ts"

const listOfErrors = Object.entries(signInErrors)
  .map(([code, meaning]) => `- \`${code}\`: ${meaning}.`)
  .join("\n")

export const signInOperations: AuthOperation[] = [
  {
    path: "/sign-up/email",
    summary: "Sign up with e-mail and password",
    description:
      "Signs the user in, unless e-mail addresses must be verified: then token is null, a verification e-mail is sent, and an address that already has an account gets the same response as a new one. Several sign-ups with an address that nobody has verified end none of each other: the link that is opened first counts. With an invitation, whose letter has proven the address, the user is verified and signed in.",
    output: z.object({ token: z.string().nullable(), user: User }),
    cookie:
      "A mark of the browser that waits for the e-mail, and the session, if the user is signed in",
    errors: [
      ...failuresOf("SIGN_UP_CLOSED", "INVITATION_REQUIRED", "PASSWORD_OFF"),
      ...failuresOf("RESERVED_ADDRESS", "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL"),
    ],
  },
  {
    path: "/sign-in/email",
    summary: "Sign in with e-mail and password",
    description:
      "Where addresses must be verified, one that is not yet gets the answer to a wrong password: anybody may have signed up with it. After ten wrong passwords within 15 minutes, the correct one is rejected too, except in a browser that has signed in with the address before. That an account is suspended, and why (`data.reason`), or asks for a second factor, is told with the right password alone; 403 SECOND_FACTOR_REQUIRED is not the end: signInSecondFactor goes on.",
    output: z.object({
      redirect: z.boolean(),
      token: z.string(),
      url: z.string().optional(),
      user: User,
    }),
    cookie: "The session, and a mark of the browser for the address",
    errors: failuresOf(
      "INVALID_EMAIL_OR_PASSWORD",
      "TOO_MANY_ATTEMPTS",
      "ACCOUNT_SUSPENDED",
      "SECOND_FACTOR_REQUIRED",
      "PASSWORD_OFF",
    ),
  },
  {
    path: "/sign-in/code",
    summary: "Sign in with a code from an e-mail",
    description:
      "In the browser that asked for it by signInCodeBegin: elsewhere it is nothing. Five tries a code. It works once, and verifies the address: what others have set on an account that was not verified goes. That an account is suspended, or asks for a second factor, is told with the right code alone.",
    output: z.object({ token: z.string(), user: User }),
    cookie: "The session, and a mark of the browser for the address",
    errors: failuresOf(
      "INVALID_CODE",
      "TOO_MANY_ATTEMPTS",
      "ACCOUNT_SUSPENDED",
      "SECOND_FACTOR_REQUIRED",
      "EMAIL_CODE_OFF",
    ),
  },
  {
    path: "/sign-in/code/begin",
    summary: "Ask for a code to sign in with",
    description:
      "Sends eight digits to the address, if it has an account, for signInCode in the same browser, within ten minutes; each ends the one before. The answer is the same for every address. An address gets three of these letters in an hour, and three more in a browser that has signed in with it.",
    output: z.object({ sent: z.literal(true) }),
    cookie: "What binds the code to the browser, for this host and ten minutes",
    errors: failuresOf("EMAIL_CODE_OFF", "RESERVED_ADDRESS"),
  },
  {
    path: "/sign-in/{provider}",
    id: "signInWithProvider",
    summary: "Start signing in with an identity provider",
    description:
      "Navigate the browser to this URL; do not fetch it. If the provider cannot be reached, it redirects to errorCallbackURL with ?error=provider_unavailable.",
    query: z.object({
      callbackURL: trustedUrl.optional(),
      errorCallbackURL: trustedUrl.optional(),
      newUserCallbackURL: trustedUrl.optional(),
      ...providerHints,
    }),
    cookie: "The sealed state of this sign-in",
    errors: failuresOf("PROVIDER_NOT_FOUND"),
  },
  {
    path: "/callback/{provider}",
    id: "returnFromProvider",
    summary: "Finish signing in with an identity provider",
    description: `The identity provider redirects here (one that answers by a form comes by postFromProvider). Sets the session cookie and redirects to callbackURL. Every failure redirects to errorCallbackURL, or to the front end where the sign-in is not known, with ?error= and one of these codes:\n\n${listOfErrors}`,
    query: z.object({
      code: z.string().optional(),
      state: z.string().optional(),
      iss: z.string().optional(),
      error: z.string().optional(),
    }),
    cookie: "The session, after a success; ends the state of this sign-in",
    errors: [],
  },
]
